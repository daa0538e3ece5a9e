import { invalidFile, type ServiceError } from '../../errors.ts';
import { findBasicAuth, scanForBasicAuth } from '../../serving/rules/basic-auth.ts';
import type { RuleFiles } from '../../serving/rules/compile.ts';
import { Fault } from '../../serving/rules/fault.ts';
import { MAX_HEADERS_BYTES } from '../../serving/rules/headers-file.ts';
import { MAX_SHIP_JSON_BYTES, parseShipJson } from '../../serving/rules/parse-ship-json.ts';
import { MAX_REDIRECTS_BYTES } from '../../serving/rules/redirects-file.ts';

/** Checks the bytes of a file as they pass; throws if they are refused. */
export interface ContentCheck {
  write(chunk: Uint8Array): void;
  end(): void;
}

/** Netlify's configuration file. It is not read, but `Basic-Auth` in it shows what its owner expects. */
const NETLIFY_FILE = 'netlify.toml';

/**
 * Checks a rule file while it is uploaded, and keeps the part of it that will be read. A `ship.json` is refused as soon
 * as it is larger than 256 KiB, and at its end if it is not one JSON object in UTF-8 or is nested deeper than 8. A rule
 * file or a `netlify.toml` with a `Basic-Auth` field is refused.
 *
 * @param into Receives the content when all of it has arrived.
 * @returns `null` for any other file. The check throws `validation_failed`. Source: contract §3; serving S22, S23,
 *   S65.
 */
export function keepRuleFile(path: string, into: RuleFiles): ContentCheck | null {
  switch (path) {
    case NETLIFY_FILE:
      return { write: refuseBasicAuth(path), end() {} };
    case 'ship.json':
      return keepShipJson(into);
    case '_redirects':
      return keepLines(MAX_REDIRECTS_BYTES, (bytes) => (into._redirects = bytes));
    case '_headers':
      return keepHeaders(into);
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
      const at = findBasicAuth(json);
      if (at !== null) throw basicAuth('ship.json', at);
      into['ship.json'] = json;
    },
  };
}

function keepHeaders(into: RuleFiles): ContentCheck {
  const lines = keepLines(MAX_HEADERS_BYTES, (bytes) => (into._headers = bytes));
  const refuse = refuseBasicAuth('_headers');
  return {
    write(chunk) {
      refuse(chunk);
      lines.write(chunk);
    },
    end: () => lines.end(),
  };
}

function refuseBasicAuth(file: string): ContentCheck['write'] {
  const scan = scanForBasicAuth();
  return (chunk) => {
    const line = scan(chunk);
    if (line !== null) throw basicAuth(file, `line ${line}`);
  };
}

/**
 * The error for `Basic-Auth`: an owner who expects it to work must not publish the site without protection. Source:
 * contract §3.
 */
function basicAuth(file: string, place: string): ServiceError {
  return invalidFile(
    file,
    `${place}: Basic-Auth protects nothing here, so the site would be public. Remove it, and deploy with a password ` +
      '("password", on the command line --password).',
  );
}

/** Keeps one byte more than is read, which shows that there is more. */
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
