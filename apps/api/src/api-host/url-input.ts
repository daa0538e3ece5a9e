import { invalid } from '@berth/core';
import { z } from 'zod';

/** The part of a JSON schema that says how a text becomes a value. */
interface Kind {
  type?: string;
  items?: Kind;
  properties?: Record<string, Kind>;
}

/** The fields of an input, by name, as far as a URL can carry them. */
export type InputKinds = ReadonlyMap<string, Kind>;

/** Reads from the schemas of an input what its fields are. The schemas stay as they are. Source: security F6. */
export function inputKinds(inputs: readonly z.ZodType[]): InputKinds {
  return new Map(
    inputs.flatMap((input) => {
      const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Kind;
      return Object.entries(schema.properties ?? {});
    }),
  );
}

/**
 * Picks the fields of an input from a query. What the input does not know is ignored.
 *
 * @throws `validation_failed` naming a parameter that is given twice and is no list. Source: contract conventions.
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

/** The fields of an input that stand in the path, decoded already. */
export function fromPath(kinds: InputKinds, params: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(params).map(([name, text]) => [name, coerce(kinds.get(name), text)]));
}

/** The nearest number that integers are exact at. */
function toSafeInteger(value: number): number {
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, value));
}

/** Turns a text into the value its kind asks for, if it is written plainly; the schema refuses what stays a text. Source: security T23. */
function coerce(kind: Kind | undefined, text: string): unknown {
  if (kind?.type === 'integer' && /^-?\d{1,300}$/.test(text)) return toSafeInteger(Number(text));
  if (kind?.type === 'number' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text)) return Number(text);
  if (kind?.type === 'boolean' && /^(?:true|false)$/.test(text)) return text === 'true';
  return text;
}
