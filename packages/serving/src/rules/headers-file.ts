import { readValue } from './destination.ts';
import { Fault, type Placed, quote, type Warn } from './fault.ts';
import { valueKindOf } from './field-values.ts';
import { isAlwaysSent, nameFault, valueFault } from './reserved-headers.ts';
import type { HeaderRule } from './rules.ts';
import { readLines } from './lines.ts';
import { type Pattern, readSource } from './pattern.ts';

/** The maximum number of bytes of `_headers` that are read. Source: serving S65. */
export const MAX_HEADERS_BYTES = 256 * 1024;

const FILE = '_headers';
const MAX_BLOCKS = 500;
const MAX_HEADERS = 50;
const STARTS_BLOCK = /^(?:\/|\*\/|\*[^:]*$|[a-z][a-z\d+.-]*:\/\/)/i;
const EVERY_PATH = JSON.stringify({ texts: [''], star: { tail: '', mayBeEmpty: true } } satisfies Pattern);
const POLICIES = ['content-security-policy', 'content-security-policy-report-only'];
const HEADER_REMOVAL = /^!\s+(?<name>\S.*)$/;

/** Parses `_headers`, whose blocks are a path and then lines `Name: value` and `! Name`. Source: serving S23, S33 to S35, S65. */
export function readHeadersFile(bytes: Uint8Array, warn: Warn): Placed<HeaderRule>[] {
  const blocks: Placed<HeaderRule>[] = [];
  // A fault stands for a block that is skipped with all its lines.
  let currentBlock: HeaderRule | Fault | null = null;
  let captures: readonly string[][] = [];
  for (const { number, text } of readLines(bytes, FILE, MAX_HEADERS_BYTES, warn)) {
    const position = { file: FILE, line: number };
    if (STARTS_BLOCK.test(text)) {
      const path = text.startsWith('*') ? `/${text}` : text;
      const parsed = readSource(path);
      if (blocks.length === MAX_BLOCKS) {
        warn(position, `Skipped this block and all further ones: there can be at most ${MAX_BLOCKS} blocks.`);
        break;
      }
      if (parsed instanceof Fault) {
        warn(position, `Skipped this path with its headers: ${parsed.message}.`);
        currentBlock = parsed;
      } else {
        if (path !== text) warn(position, `Read as ${quote(path)}: a path must start with a slash.`);
        const { pattern, host } = parsed;
        currentBlock = { from: pattern, replaces: false, steps: [], ...(host !== undefined && { host }) };
        captures = parsed.captures;
        blocks.push({ rule: currentBlock, position });
      }
      continue;
    }
    if (currentBlock instanceof Fault) continue;
    const step = currentBlock ? readStep(text, captures) : new Fault('headers must follow a path, such as /*');
    if (step === null) continue;
    if (step instanceof Fault) warn(position, `Skipped: ${step.message}.`);
    else if (currentBlock!.steps.length < MAX_HEADERS) {
      if (replacesOwnValue(step, currentBlock!))
        warn(position, `Replaces the value above: a response has only one ${step[0]}.`);
      currentBlock!.steps.push(step);
    } else {
      warn(position, `Skipped up to the next path: a block can have at most ${MAX_HEADERS} headers.`);
      currentBlock = new Fault('full');
    }
  }
  warnOfTwoPolicies(blocks, warn);
  return blocks.filter(({ rule }) => rule.steps.length > 0);
}

type Step = HeaderRule['steps'][number];

const hasName = (name: string) => (step: Step) => step[0].toLowerCase() === name;

/** Whether a line gives a header that can have one value another value than an earlier line of its block. */
function replacesOwnValue([name, value]: Step, { steps }: HeaderRule): boolean {
  const lower = name.toLowerCase();
  const earlierValue = steps.findLast(hasName(lower))?.[1] ?? null;
  return (
    value !== null && earlierValue !== null && String(earlierValue) !== String(value) && valueKindOf(lower) === 'one'
  );
}

/** Warns about a block that adds a second policy to paths that have one: browsers then enforce both. Source: serving S33. */
function warnOfTwoPolicies(blocks: readonly Placed<HeaderRule>[], warn: Warn): void {
  for (const name of POLICIES) {
    const policies = blocks.flatMap(({ rule, position }) => {
      const value = rule.steps.findLast(hasName(name))?.[1] ?? null;
      const replacesDefault = rule.steps.some((step) => hasName(name)(step) && step[1] === null);
      return value === null
        ? []
        : [{ path: JSON.stringify(rule.from), value: String(value), replaces: replacesDefault, position }];
    });
    for (const [index, { path, value, replaces, position }] of policies.entries()) {
      const overlaps = (other: string) => other === path || other === EVERY_PATH || path === EVERY_PATH;
      const firstPolicy = replaces ? undefined : policies.slice(0, index).find((earlier) => overlaps(earlier.path));
      if (firstPolicy && firstPolicy.value !== value)
        warn(
          position,
          `Adds a second ${name} besides the one on line ${firstPolicy.position.line}, and browsers enforce both. To replace the first one, ` +
            `write "! ${name}" above the second one.`,
        );
    }
  }
}

/** Returns `null` for a header that every response has without the line. */
function readStep(text: string, captures: readonly string[][]): Step | Fault | null {
  const removedName = HEADER_REMOVAL.exec(text)?.groups!['name'];
  if (removedName !== undefined) return nameFault(removedName) ?? [removedName, null];
  const colon = text.indexOf(':');
  if (colon < 0) return new Fault(`a line must be Name: value, or ! Name to remove a header; this is ${quote(text)}`);
  const name = text.slice(0, colon).trim();
  const value = text.slice(colon + 1).trim();
  return isAlwaysSent(name, value)
    ? null
    : (nameFault(name) ?? valueFault(value) ?? [name, readValue(value, captures, 'lines')]);
}
