import { Fault, type Placed, quote, type Warn } from './fault.ts';
import { nameFault, valueFault } from './reserved-headers.ts';
import type { HeaderRule } from './rules.ts';
import { readLines } from './lines.ts';
import { readPattern } from './pattern.ts';

/** Only this many bytes of `_headers` are read. Source: serving S65. */
export const MAX_HEADERS_BYTES = 256 * 1024;

const FILE = '_headers';
const MAX_BLOCKS = 500;
const MAX_STEPS = 50;
const STARTS_BLOCK = /^(?:\/|[a-z][a-z\d+.-]*:\/\/)/i;
const REMOVAL = /^!\s+(?<name>\S.*)$/;

/** Parses `_headers`: a path, then `Name: value` and `! Name` lines. Source: serving S23, S33 to S35, S65. */
export function readHeadersFile(bytes: Uint8Array, warn: Warn): Placed<HeaderRule>[] {
  const blocks: Placed<HeaderRule>[] = [];
  // The lines after an invalid path belong to no other block, so they are skipped too.
  let block: HeaderRule | Fault | null = null;
  for (const { number, text } of readLines(bytes, FILE, MAX_HEADERS_BYTES, warn)) {
    const position = { file: FILE, line: number };
    if (STARTS_BLOCK.test(text)) {
      const read = readPattern(text, 'lines');
      if (blocks.length === MAX_BLOCKS) {
        warn(position, `Skipped this block and all further ones: there can be at most ${MAX_BLOCKS} blocks.`);
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
    const step = block ? readStep(text) : new Fault('headers must follow a path, such as /*');
    if (step instanceof Fault) warn(position, `Skipped: ${step.message}.`);
    else if (block!.steps.length < MAX_STEPS) block!.steps.push(step);
    else {
      warn(position, `Skipped up to the next path: a block can have at most ${MAX_STEPS} headers.`);
      block = new Fault('full');
    }
  }
  return blocks.filter(({ rule }) => rule.steps.length > 0);
}

function readStep(text: string): HeaderRule['steps'][number] | Fault {
  const removed = REMOVAL.exec(text)?.groups!['name'];
  if (removed !== undefined) return nameFault(removed) ?? [removed, null];
  const colon = text.indexOf(':');
  if (colon < 0) return new Fault(`a line must be Name: value, or ! Name to remove a header; this is ${quote(text)}`);
  const name = text.slice(0, colon).trim();
  const value = text.slice(colon + 1).trim();
  return nameFault(name) ?? valueFault(value) ?? [name, value];
}
