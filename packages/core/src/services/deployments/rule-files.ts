import { findCaseTwins, isDotFile, isWithheld, RULE_FILES, type Warning } from '@berth/contract';
import {
  compileRules,
  Fault,
  findBasicAuth,
  MAX_HEADERS_BYTES,
  MAX_REDIRECTS_BYTES,
  MAX_SHIP_JSON_BYTES,
  parseShipJson,
  type RuleFiles,
  scanForBasicAuth,
} from '@berth/serving';
import { invalidFile, type ServiceError } from '../../errors.ts';
import type { ContentCheck } from './file-rules.ts';
import type { Publication } from './publish.ts';

/** Netlify's configuration file. It is not read, but `Basic-Auth` in it shows what its owner expects. */
const NETLIFY_FILE = 'netlify.toml';

/**
 * Checks a rule file while it is uploaded, and keeps the part of it that will be read. A `ship.json` is refused as soon
 * as it is larger than 256 KiB, and at its end if it is not one JSON object in UTF-8 or is nested deeper than 8. A rule
 * file or a `netlify.toml` with a `Basic-Auth` field is refused.
 *
 * @param into Receives the content when all of it has arrived.
 * @returns `null` for any other file. The check throws `validation_failed`. Source: api §3; serving S22, S23, S65.
 */
export function createRuleFileCheck(path: string, into: RuleFiles): ContentCheck | null {
  switch (path) {
    case NETLIFY_FILE:
      return { write: refuseBasicAuth(path), end() {} };
    case 'ship.json':
      return checkShipJson(into);
    case '_redirects':
      return keepLines(MAX_REDIRECTS_BYTES, (bytes) => (into._redirects = bytes));
    case '_headers':
      return checkHeadersFile(into);
    default:
      return null;
  }
}

function checkShipJson(into: RuleFiles): ContentCheck {
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
      if (at !== null) throw basicAuthRefused('ship.json', at);
      into['ship.json'] = json;
    },
  };
}

function checkHeadersFile(into: RuleFiles): ContentCheck {
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
    if (line !== null) throw basicAuthRefused(file, `line ${line}`);
  };
}

/**
 * The error for `Basic-Auth`: an owner who expects it to work must not publish the site without protection. Source:
 * api §3.
 */
function basicAuthRefused(file: string, place: string): ServiceError {
  return invalidFile(
    file,
    `${place}: Basic-Auth has no effect here, so the site would be public. Remove it and deploy with a password instead ` +
      '("password", or --password on the command line).',
  );
}

/** Keeps one byte more than is read, which shows that there is more. */
function keepLines(maxBytes: number, done: (bytes: Uint8Array) => void): ContentCheck {
  const chunks: Buffer[] = [];
  let room = maxBytes + 1;
  return {
    write(chunk) {
      if (room === 0) return;
      const copy = Buffer.from(chunk.subarray(0, room));
      chunks.push(copy);
      room -= copy.length;
    },
    end() {
      done(Buffer.concat(chunks));
    },
  };
}

const MAX_WARNINGS = 100;

/**
 * The rules from the rule files, and the warnings about them and the other files: the first 100, and one that counts the
 * rest. Source: serving S12, S22, S23, S65.
 */
export function compileDeployRules(
  ruleFiles: RuleFiles,
  published: Publication['files'],
): Pick<Publication, 'rules' | 'warnings'> {
  const paths = published.map(({ path }) => path);
  const warnings: Warning[] = [];
  let rest = 0;
  let firstOfRest = '';
  const warn = (warning: Warning) => {
    if (warnings.length < MAX_WARNINGS) warnings.push(warning);
    else if ((rest += 1) === 1) firstOfRest = warning.file;
  };
  const rules = compileRules(ruleFiles, paths, (position, message) => warn({ ...position, message }));
  warnOfNames(paths, warn);
  if (rest > 0) warnings.push({ file: firstOfRest, message: `And ${rest} more warnings like these.` });
  return { rules, warnings };
}

function warnOfNames(paths: readonly string[], warn: (warning: Warning) => void): void {
  for (const file of paths)
    if (isWithheld(file) && !RULE_FILES.has(file))
      warn({
        file,
        message: isDotFile(file)
          ? 'Stored, but dot files are not served (except under .well-known/).'
          : 'Stored, but not served: it is server code for another host.',
      });
  for (const { file, twin } of findCaseTwins(paths))
    warn({
      file,
      message: `Differs from ${twin} only in case. Both are served, but many file systems can store only one.`,
    });
}
