import { invalidFile } from '../../errors.ts';
import type { RuleFiles } from '../../serving/rules/compile.ts';
import { Fault } from '../../serving/rules/fault.ts';
import { MAX_HEADERS_BYTES } from '../../serving/rules/headers-file.ts';
import { MAX_SHIP_JSON_BYTES, parseShipJson } from '../../serving/rules/parse-ship-json.ts';
import { MAX_REDIRECTS_BYTES } from '../../serving/rules/redirects-file.ts';
import type { ContentCheck } from './deploy-files.ts';

/**
 * Keeps the content of a rule file while it is uploaded, as far as it is read. A `ship.json` is refused at once when it is
 * larger than 256 KiB, and at its end when it is not one JSON object in UTF-8 or nested deeper than 8.
 *
 * @param into Gets the content when it has arrived whole.
 * @returns `null` for any other file. Source: contract §3; serving S22, S23, S65.
 */
export function keepRuleFile(path: string, into: RuleFiles): ContentCheck | null {
  switch (path) {
    case 'ship.json':
      return keepShipJson(into);
    case '_redirects':
      return keepLines(MAX_REDIRECTS_BYTES, (bytes) => (into._redirects = bytes));
    case '_headers':
      return keepLines(MAX_HEADERS_BYTES, (bytes) => (into._headers = bytes));
    default:
      return null;
  }
}

function keepShipJson(into: RuleFiles): ContentCheck {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    write(chunk) {
      size += chunk.length;
      if (size > MAX_SHIP_JSON_BYTES)
        throw invalidFile('ship.json', `it must have at most ${MAX_SHIP_JSON_BYTES} bytes`);
      chunks.push(Buffer.from(chunk));
    },
    end() {
      const json = parseShipJson(Buffer.concat(chunks));
      if (json instanceof Fault) throw invalidFile('ship.json', json.message);
      into['ship.json'] = json;
    },
  };
}

/** One byte more than is read is kept: it tells that there is more. */
function keepLines(maxBytes: number, done: (bytes: Uint8Array) => void): ContentCheck {
  const chunks: Buffer[] = [];
  let room = maxBytes + 1;
  return {
    write(chunk) {
      if (room === 0) return;
      const kept = Buffer.from(chunk.subarray(0, room));
      chunks.push(kept);
      room -= kept.length;
    },
    end() {
      done(Buffer.concat(chunks));
    },
  };
}
