import { Fault, type Placed, quote, type Warn } from './fault.ts';
import { nameFault, valueFault } from './header-field.ts';
import type { HeaderRule } from './rules.ts';
import { readLines } from './lines.ts';
import { readPattern } from './pattern.ts';

/** How much of `_headers` is read, in bytes. Source: serving S65. */
export const MAX_HEADERS_BYTES = 256 * 1024;

const FILE = '_headers';
const MAX_BLOCKS = 500;
const MAX_STEPS = 50;
const STARTS_BLOCK = /^(?:\/|[a-z][a-z\d+.-]*:\/\/)/i;
const REMOVAL = /^!\s+(?<name>\S.*)$/;

/** Reads `_headers`: a path, then `Name: value` and `! Name` lines. Source: serving S23, S33 to S35, S65. */
export function readHeadersFile(bytes: Uint8Array, warn: Warn): Placed<HeaderRule>[] {
  const blocks: Placed<HeaderRule>[] = [];
  // A block whose path is faulty takes its lines with it: they belong to no other.
  let block: HeaderRule | Fault | null = null;
  for (const { number, text } of readLines(bytes, FILE, MAX_HEADERS_BYTES, warn)) {
    const position = { file: FILE, line: number };
    if (STARTS_BLOCK.test(text)) {
      const read = readPattern(text, 'lines');
      if (blocks.length === MAX_BLOCKS) {
        warn(position, `Skipped from here on: there are at most ${MAX_BLOCKS} blocks.`);
        break;
      }
      if (read instanceof Fault) {
        warn(position, `Skipped with its headers: ${read.message}.`);
        block = read;
      } else {
        block = { from: read.pattern, replaces: false, steps: [] };
        blocks.push({ rule: block, position });
      }
      continue;
    }
    if (block instanceof Fault) continue;
    const step = block ? readStep(text) : new Fault('a path comes before its headers, such as /*');
    if (step instanceof Fault) warn(position, `Skipped: ${step.message}.`);
    else if (block!.steps.length < MAX_STEPS) block!.steps.push(step);
    else {
      warn(position, `Skipped to the next path: a block has at most ${MAX_STEPS} headers.`);
      block = new Fault('full');
    }
  }
  return blocks.filter(({ rule }) => rule.steps.length > 0);
}

function readStep(text: string): HeaderRule['steps'][number] | Fault {
  const removed = REMOVAL.exec(text)?.groups!['name'];
  if (removed !== undefined) return nameFault(removed) ?? [removed, null];
  const colon = text.indexOf(':');
  if (colon < 0) return new Fault(`a header is Name: value, and ! Name removes one; this is ${quote(text)}`);
  const name = text.slice(0, colon).trim();
  const value = text.slice(colon + 1).trim();
  return nameFault(name) ?? valueFault(value) ?? [name, value];
}
