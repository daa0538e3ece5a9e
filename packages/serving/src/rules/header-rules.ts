import type { Pattern } from './pattern.ts';
import { fillValue } from './destination.ts';
import { valueKindOf } from './field-values.ts';
import { matchHost } from './host-pattern.ts';
import { indexPatterns } from './pattern-index.ts';
import { isDroppedHeader, nameFault } from './reserved-headers.ts';
import type { HeaderField, HeaderRule, HeaderRules, HeaderValue, HostRule, RuledAnswer } from './rules.ts';

interface PreparedStep {
  name: string;
  lower: string;
  value: HeaderValue;
  /** Whether the value is appended to an earlier one. */
  joins: boolean;
}

interface PreparedRule extends HostRule {
  from: Pattern;
  steps: PreparedStep[];
}

/** The value that the rules give to one header; `null` if they remove the header. */
interface Change {
  name: string;
  value: string | null;
}

/** The maximum size of the headers that rules add to a response, in bytes, with `: ` and line ends. Source: serving S65. */
export const MAX_RESPONSE_HEADER_BYTES = 8192;

/** Returns the size of the fields that one rule sets, in bytes. Source: serving S65. */
export function sizeOf({ steps }: HeaderRule): number {
  return steps.reduce((sum, [name, value]) => sum + (value === null ? 0 : fieldSize(name, literalPart(value))), 0);
}

/** The text of a value without its captures, whose length depends on the path. */
function literalPart(value: string | readonly (string | number)[]): string {
  return typeof value === 'string' ? value : value.filter((piece) => typeof piece === 'string').join('');
}

const fieldSize = (name: string, value: string) => name.length + value.length + 4;

const REPLACEABLE_HEADERS = new Set([
  'content-type',
  'cache-control',
  'referrer-policy',
  'origin-agent-cluster',
  'strict-transport-security',
]);
const REMOVABLE_HEADERS = new Set(['referrer-policy', 'origin-agent-cluster']);

/**
 * Prepares header rules for matching. Ignores rules for reserved headers.
 *
 * Rules can replace some default headers, remove others, and only add to `Vary`. Removing a header that rules can only
 * replace, such as `! Cache-Control`, restores its default. Omits fields beyond {@link MAX_RESPONSE_HEADER_BYTES}.
 */
export function prepareHeaderRules(rules: readonly HeaderRule[]): HeaderRules {
  const patternIndex = indexPatterns(rules.map(prepareRule));
  return {
    isEmpty: rules.length === 0,
    apply(path, fields, answer) {
      const changes = new Map<string, Change>();
      for (const [{ host, steps }, captures] of patternIndex.find(path)) {
        const hostCaptures = matchHost(host, answer.host);
        if (hostCaptures === null) continue;
        const allCaptures = hostCaptures.length === 0 ? captures : [...hostCaptures, ...captures];
        for (const step of steps) if (appliesTo(answer, step.lower)) applyStep(changes, step, allCaptures);
      }
      return changes.size === 0 ? fields : mergeHeaders(fields, changes);
    },
  };
}

function prepareRule({ host, from, replaces, steps }: HeaderRule): PreparedRule {
  const allowed = steps.filter(([name]) => nameFault(name) === null);
  const inRule = new Set<string>();
  const preparedSteps = allowed.map(([name, value]): PreparedStep => {
    const lower = name.toLowerCase();
    const valueKind = valueKindOf(lower);
    const joinsValues =
      lower === 'vary' || (!replaces && (valueKind === 'list' || (valueKind === 'directives' && inRule.has(lower))));
    inRule.add(lower);
    return { name, lower, value, joins: joinsValues };
  });
  return { from, steps: preparedSteps, ...(host !== undefined && { host }) };
}

/** Whether a rule for this header applies to a response. Source: serving S32, S35. */
function appliesTo(answer: RuledAnswer, name: string): boolean {
  if (isDroppedHeader(name, answer)) return false;
  if (answer.kind === 'redirect') return name === 'cache-control';
  return answer.kind !== 'not-found' || name !== 'cache-control';
}

/** Sets, appends to or removes one header. Source: serving S24, S33, S34. */
function applyStep(changes: Map<string, Change>, step: PreparedStep, captures: readonly string[]): void {
  const { name, lower, joins } = step;
  const value = isLiteralValue(step.value) ? step.value : fillValue(step.value, captures, MAX_RESPONSE_HEADER_BYTES);
  if (value === undefined) return;
  const earlierChange = changes.get(lower);
  if (value !== null && earlierChange?.value && joins) earlierChange.value = `${earlierChange.value}, ${value}`;
  else changes.set(lower, { name, value });
}

function isLiteralValue(value: HeaderValue): value is string | null {
  return typeof value === 'string' || value === null;
}

/** Returns the default fields in their order, with the changes applied, and then the fields that rules add. */
function mergeHeaders(defaults: readonly HeaderField[], changes: ReadonlyMap<string, Change>): HeaderField[] {
  const fields: HeaderField[] = [];
  const indexes = new Map<string, number>();
  for (const field of defaults) {
    const lower = field[0].toLowerCase();
    if (changes.get(lower)?.value === null && REMOVABLE_HEADERS.has(lower)) continue;
    indexes.set(lower, fields.length);
    fields.push(field);
  }
  let bytesLeft = MAX_RESPONSE_HEADER_BYTES;
  for (const [lower, { name, value }] of changes) {
    if (value === null) continue;
    const fieldIndex = indexes.get(lower);
    if (fieldIndex !== undefined && lower !== 'vary' && !REPLACEABLE_HEADERS.has(lower)) continue;
    const size = fieldSize(name, value);
    if (size > bytesLeft) continue;
    bytesLeft -= size;
    if (fieldIndex === undefined) fields.push([name, value]);
    else
      fields[fieldIndex] = [fields[fieldIndex]![0], lower === 'vary' ? addNames(fields[fieldIndex]![1], value) : value];
  }
  return fields;
}

function addNames(list: string, more: string): string {
  const names = list.split(',').map((name) => name.trim());
  const lowerNames = new Set(names.map((name) => name.toLowerCase()));
  for (const name of more.split(',').map((name) => name.trim()))
    if (name !== '' && !lowerNames.has(name.toLowerCase())) {
      lowerNames.add(name.toLowerCase());
      names.push(name);
    }
  return names.join(', ');
}
