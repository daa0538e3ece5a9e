import { nameFault } from './header-field.ts';
import type { Pattern } from './pattern.ts';
import { indexPatterns } from './pattern-index.ts';
import { isDroppedHeader } from './reserved-headers.ts';
import type { HeaderField, HeaderRule, HeaderRules, RuledAnswer } from './rules.ts';

interface PreparedRule {
  from: Pattern;
  replaces: boolean;
  steps: { name: string; lower: string; value: string | null }[];
}

/** What rules make of one header: `value` is `null` when they took the default away. */
interface Change {
  name: string;
  value: string | null;
}

/** What the headers of rules may take of one answer, with `: ` and the line end each. Source: serving S65. */
export const MAX_HEADER_BYTES = 8192;

/** What the fields of one rule take at most, in bytes. Source: serving S65. */
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
 * Makes header rules ready to be applied. A rule about a reserved header has no part in them.
 *
 * A default that may only be replaced comes back when a rule removes what others said before it: `! Cache-Control`,
 * `! Content-Type`. Every other default stays, and `Vary` grows. A field that does not fit into
 * {@link MAX_HEADER_BYTES} beside those before it is left out.
 */
export function prepareHeaderRules(rules: readonly HeaderRule[]): HeaderRules {
  const index = indexPatterns(rules.map(prepare));
  return {
    isEmpty: rules.length === 0,
    apply(path, fields, answer) {
      const changes = new Map<string, Change>();
      for (const [{ replaces, steps }] of index.find(path))
        for (const { name, lower, value } of steps)
          if (counts(lower, answer)) change(changes, lower, { name, value }, replaces);
      return changes.size === 0 ? fields : merge(fields, changes);
    },
  };
}

function prepare({ from, replaces, steps }: HeaderRule): PreparedRule {
  const allowed = steps.filter(([name]) => nameFault(name) === null);
  return { from, replaces, steps: allowed.map(([name, value]) => ({ name, lower: name.toLowerCase(), value })) };
}

/** Whether a header that a rule names has a part in this answer. Source: serving S32, S35. */
function counts(name: string, answer: RuledAnswer): boolean {
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
      throw new TypeError(`unknown answer: ${String(answer.kind satisfies never)}`);
  }
}

/** Takes one more step with a header. Source: serving S33, S34. */
function change(changes: Map<string, Change>, lower: string, { name, value }: Change, replaces: boolean): void {
  const before = changes.get(lower);
  const joins = !replaces || lower === 'vary';
  if (value === null) changes.set(lower, { name, value: null });
  else if (before?.value && joins) before.value = `${before.value}, ${value}`;
  else changes.set(lower, { name, value });
}

/** The fields of the answer: the defaults in their order, then what rules add. */
function merge(defaults: readonly HeaderField[], changes: ReadonlyMap<string, Change>): HeaderField[] {
  const fields: HeaderField[] = [];
  const places = new Map<string, number>();
  for (const field of defaults) {
    const lower = field[0].toLowerCase();
    if (changes.get(lower)?.value === null && REMOVABLE.has(lower)) continue;
    places.set(lower, fields.length);
    fields.push(field);
  }
  let room = MAX_HEADER_BYTES;
  for (const [lower, { name, value }] of changes) {
    if (value === null) continue;
    const place = places.get(lower);
    if (place !== undefined && lower !== 'vary' && !REPLACEABLE.has(lower)) continue;
    const size = fieldSize(name, value);
    if (size > room) continue;
    room -= size;
    if (place === undefined) fields.push([name, value]);
    else fields[place] = [fields[place]![0], lower === 'vary' ? addTo(fields[place]![1], value) : value];
  }
  return fields;
}

/** A list of names with more of them, each once. */
function addTo(list: string, more: string): string {
  const names = list.split(',').map((name) => name.trim());
  const known = new Set(names.map((name) => name.toLowerCase()));
  for (const name of more.split(',').map((name) => name.trim()))
    if (name !== '' && !known.has(name.toLowerCase())) {
      known.add(name.toLowerCase());
      names.push(name);
    }
  return names.join(', ');
}
