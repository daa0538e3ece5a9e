import { invalid } from '@berth/core';
import { z } from 'zod';

/** The part of a JSON schema that says how to convert text to a value. */
interface Kind {
  type?: string;
  items?: Kind;
  properties?: Record<string, Kind>;
}

/** The kinds of the fields of an input, by name. */
export type InputKinds = ReadonlyMap<string, Kind>;

/** Reads the kinds of all fields from the schemas of an input. Source: security F6. */
export function inputKinds(inputs: readonly z.ZodType[]): InputKinds {
  return new Map(
    inputs.flatMap((input) => {
      const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Kind;
      return Object.entries(schema.properties ?? {});
    }),
  );
}

/**
 * Reads the fields of an input from a query. Unknown parameters are ignored.
 *
 * @throws `validation_failed` for a parameter that is repeated and is not a list. Source: api §1.
 */
export function fromQuery(kinds: InputKinds, query: URLSearchParams): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [name, kind] of kinds) {
    const texts = query.getAll(name);
    if (texts.length === 0) continue;
    if (kind.type === 'array') input[name] = texts.map((text) => coerce(kind.items, text));
    else if (texts.length > 1) throw invalid(name, 'this query parameter must be given only once');
    else input[name] = coerce(kind, texts[0]!);
  }
  return input;
}

/** Reads the fields of an input from decoded path parameters. */
export function fromPath(kinds: InputKinds, params: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(params).map(([name, text]) => [name, coerce(kinds.get(name), text)]));
}

/**
 * Converts text to the type of its field, and clamps integers to the safe range. Returns text with another format
 * unchanged, so that the schema rejects it. Source: security T23.
 */
function coerce(kind: Kind | undefined, text: string): unknown {
  if (kind?.type === 'integer' && /^-?\d{1,300}$/.test(text))
    return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(text)));
  if (kind?.type === 'number' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text)) return Number(text);
  if (kind?.type === 'boolean' && /^(?:true|false)$/.test(text)) return text === 'true';
  return text;
}
