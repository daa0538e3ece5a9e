import type { Pattern } from './pattern.ts';
import { indexPatterns } from './pattern-index.ts';
import { isDroppedHeader, nameFault } from './reserved-headers.ts';
import type { HeaderField, HeaderRule, HeaderRules, RuledAnswer } from './rules.ts';

interface PreparedRule {
  from: Pattern;
  replaces: boolean;
  steps: { name: string; lower: string; value: string | null }[];
}

/** The result of the rules for one header; `value` is `null` if they removed it. */
interface Change {
  name: string;
  value: string | null;
}

/** Maximum size of the headers that rules add to a response, in bytes, including `: ` and the line ends. Source: serving S65. */
export const MAX_RESPONSE_HEADER_BYTES = 8192;

/** The maximum size of the fields of one rule in bytes. Source: serving S65. */
export function sizeOf({ steps }: HeaderRule): number {
  return steps.reduce((sum, [name, value]) => sum + (value === null ? 0 : fieldSize(name, value)), 0);
}

const fieldSize = (name: string, value: string) => name.length + value.length + 4;

const REPLACEABLE = new Set([
  'content-type',
  'cache-control',
  'referrer-policy',
  'origin-agent-cluster',
  'strict-transport-security',
]);
const REMOVABLE = new Set(['referrer-policy', 'origin-agent-cluster']);

/**
 * Prepares header rules for matching. Rules for reserved headers are ignored.
 *
 * Rules can replace some defaults, remove others, and only add to `Vary`. Removing a header that rules can only replace, such
 * as `! Cache-Control`, restores its default. A field that would exceed {@link MAX_RESPONSE_HEADER_BYTES} together with those before
 * it is omitted.
 */
export function prepareHeaderRules(rules: readonly HeaderRule[]): HeaderRules {
  const index = indexPatterns(rules.map(prepare));
  return {
    isEmpty: rules.length === 0,
    apply(path, fields, answer) {
      const changes = new Map<string, Change>();
      for (const [{ replaces, steps }] of index.find(path))
        for (const { name, lower, value } of steps)
          if (appliesTo(answer, lower)) applyStep(changes, lower, { name, value }, replaces);
      return changes.size === 0 ? fields : merge(fields, changes);
    },
  };
}

function prepare({ from, replaces, steps }: HeaderRule): PreparedRule {
  const allowed = steps.filter(([name]) => nameFault(name) === null);
  return { from, replaces, steps: allowed.map(([name, value]) => ({ name, lower: name.toLowerCase(), value })) };
}

/** Whether a rule for this header applies to a response. Source: serving S32, S35. */
function appliesTo(answer: RuledAnswer, name: string): boolean {
  if (isDroppedHeader(name, answer)) return false;
  switch (answer.kind) {
    case 'redirect':
      return name === 'cache-control';
    case 'not-found':
      return name !== 'cache-control';
    case 'file':
    case 'options':
      return true;
    default:
      throw new TypeError(`unknown kind of response: ${String(answer.kind satisfies never)}`);
  }
}

/** Sets, appends to or removes one header. Source: serving S33, S34. */
function applyStep(changes: Map<string, Change>, lower: string, { name, value }: Change, replaces: boolean): void {
  const earlier = changes.get(lower);
  const appends = !replaces || lower === 'vary';
  if (value === null) changes.set(lower, { name, value: null });
  else if (earlier?.value && appends) earlier.value = `${earlier.value}, ${value}`;
  else changes.set(lower, { name, value });
}

/** The fields of the response: the defaults in their order, then the fields that rules add. */
function merge(defaults: readonly HeaderField[], changes: ReadonlyMap<string, Change>): HeaderField[] {
  const fields: HeaderField[] = [];
  const indexes = new Map<string, number>();
  for (const field of defaults) {
    const lower = field[0].toLowerCase();
    if (changes.get(lower)?.value === null && REMOVABLE.has(lower)) continue;
    indexes.set(lower, fields.length);
    fields.push(field);
  }
  let room = MAX_RESPONSE_HEADER_BYTES;
  for (const [lower, { name, value }] of changes) {
    if (value === null) continue;
    const index = indexes.get(lower);
    if (index !== undefined && lower !== 'vary' && !REPLACEABLE.has(lower)) continue;
    const size = fieldSize(name, value);
    if (size > room) continue;
    room -= size;
    if (index === undefined) fields.push([name, value]);
    else fields[index] = [fields[index]![0], lower === 'vary' ? addNames(fields[index]![1], value) : value];
  }
  return fields;
}

function addNames(list: string, more: string): string {
  const names = list.split(',').map((name) => name.trim());
  const known = new Set(names.map((name) => name.toLowerCase()));
  for (const name of more.split(',').map((name) => name.trim()))
    if (name !== '' && !known.has(name.toLowerCase())) {
      known.add(name.toLowerCase());
      names.push(name);
    }
  return names.join(', ');
}
