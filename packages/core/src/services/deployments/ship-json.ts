import { invalidFile } from '../../errors.ts';
import type { ContentCheck } from './deploy-files.ts';

const MAX_BYTES = 256 * 1024;
const MAX_DEPTH = 8;

/**
 * Checks a root `ship.json` while it is uploaded: one JSON object in UTF-8, at most 256 KiB, nested at most 8 deep.
 *
 * Source: contract §3; serving S23, S65.
 */
export function createShipJsonCheck(): ContentCheck {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    write(chunk) {
      size += chunk.length;
      if (size > MAX_BYTES) throw refuse(`it has at most ${MAX_BYTES} bytes`);
      chunks.push(Buffer.from(chunk));
    },
    end() {
      const value = parse(Buffer.concat(chunks));
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        throw refuse('it is one JSON object, such as {"cleanUrls": true}');
      if (depthOf(value) > MAX_DEPTH) throw refuse(`it is nested at most ${MAX_DEPTH} deep`);
    },
  };
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw refuse(
      `it is one JSON object in UTF-8 (${error instanceof SyntaxError ? error.message : 'it is not UTF-8'})`,
    );
  }
}

function depthOf(value: object): number {
  let depth = 0;
  for (let level: unknown[] = [value]; level.length > 0; depth += 1)
    level = level.flatMap((item) =>
      Object.values(item as object).filter((inner) => typeof inner === 'object' && inner !== null),
    );
  return depth;
}

const refuse = (what: string) => invalidFile('ship.json', what);
