import { findCaseTwins, isDotFile, isWithheld, RULE_FILES, type Warning } from '@berth/contract';
import {
  compileRules,
  Fault,
  findBasicAuth,
  findRoleCondition,
  MAX_HEADERS_BYTES,
  MAX_REDIRECTS_BYTES,
  MAX_SHIP_JSON_BYTES,
  parseShipJson,
  type RuleFiles,
  scanForBasicAuth,
} from '@berth/serving';
import { invalidFile, type ServiceError } from '../../errors.ts';
import type { ContentCheck, LeftOutEntries } from './file-rules.ts';
import { warnOfForeignFiles } from './foreign-files.ts';
import type { Publication } from './publish.ts';

/** The configuration file of Netlify. It has no effect, but `Basic-Auth` in it shows that its owner expects protection. */
const NETLIFY_FILE = 'netlify.toml';

/**
 * Returns a check of a rule file, which also keeps the bytes that will be compiled; `null` for other files. The check
 * throws `validation_failed` for a `ship.json` that is larger than 256 KiB, is not a JSON object in UTF-8, or is nested
 * deeper than 8, for a rule file or a `netlify.toml` with a `Basic-Auth` field, and for a `_redirects` with a `Role=` condition.
 *
 * @param ruleFiles Receives the file when all of it has arrived. Source: api §3; serving S22, S23, S65.
 */
export function createRuleFileCheck(path: string, ruleFiles: RuleFiles): ContentCheck | null {
  switch (path) {
    case NETLIFY_FILE:
      return { write: refuseBasicAuth(path), end() {} };
    case 'ship.json':
      return checkShipJson(ruleFiles);
    case '_redirects':
      return keepLines(MAX_REDIRECTS_BYTES, (bytes) => {
        const line = findRoleCondition(bytes);
        if (line !== null) throw protectionRefused(path, `line ${line}`, 'a Role condition');
        ruleFiles._redirects = bytes;
      });
    case '_headers':
      return checkHeadersFile(ruleFiles);
    default:
      return null;
  }
}

function checkShipJson(ruleFiles: RuleFiles): ContentCheck {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    write(chunk) {
      size += chunk.length;
      if (size > MAX_SHIP_JSON_BYTES)
        throw invalidFile('ship.json', `the file must have at most ${MAX_SHIP_JSON_BYTES} bytes`);
      chunks.push(Buffer.from(chunk));
    },
    end() {
      const json = parseShipJson(Buffer.concat(chunks));
      if (json instanceof Fault) throw invalidFile('ship.json', json.message);
      const place = findBasicAuth(json);
      if (place !== null) throw protectionRefused('ship.json', place, 'Basic-Auth');
      ruleFiles['ship.json'] = json;
    },
  };
}

function checkHeadersFile(ruleFiles: RuleFiles): ContentCheck {
  const lines = keepLines(MAX_HEADERS_BYTES, (bytes) => (ruleFiles._headers = bytes));
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
    if (line !== null) throw protectionRefused(file, `line ${line}`, 'Basic-Auth');
  };
}

/** An owner who expects a rule to protect the site must not publish the site without protection. Source: api §3. */
function protectionRefused(file: string, place: string, protection: string): ServiceError {
  return invalidFile(
    file,
    `${place}: ${protection} has no effect here, so the site would be public. Remove it and deploy with a password instead ` +
      '("password", or --password on the command line).',
  );
}

/** Keeps one byte more than the maximum, so that the compiler notices a longer file. */
function keepLines(maxBytes: number, onEnd: (bytes: Uint8Array) => void): ContentCheck {
  const chunks: Buffer[] = [];
  let room = maxBytes + 1;
  return {
    write(chunk) {
      if (room === 0) return;
      const copy = Buffer.from(chunk.subarray(0, room));
      chunks.push(copy);
      room -= copy.length;
    },
    end: () => onEnd(Buffer.concat(chunks)),
  };
}

const MAX_WARNINGS = 100;

/**
 * Compiles the rule files, and collects warnings about all files: the first 100, and a warning with the number of the
 * remaining warnings.
 *
 * @param leftOut The entries of an archive that are not published. Source: serving S12, S22, S23, S65.
 */
export function compileDeployRules(
  ruleFiles: RuleFiles,
  published: Publication['files'],
  leftOut: LeftOutEntries = { warnings: [], warningCount: 0 },
): Pick<Publication, 'rules' | 'warnings'> {
  const paths = published.map(({ path }) => path);
  const warnings: Warning[] = [];
  let omitted = 0;
  let firstOmitted = '';
  const warn = (warning: Warning) => {
    if (warnings.length < MAX_WARNINGS) warnings.push(warning);
    else {
      omitted += 1;
      firstOmitted ||= warning.file;
    }
  };
  for (const warning of leftOut.warnings) warn(warning);
  omitted += leftOut.warningCount - leftOut.warnings.length;
  const rules = compileRules(ruleFiles, paths, (position, message) => warn({ ...position, message }));
  warnOfForeignFiles(paths, warn);
  warnOfNames(paths, warn);
  if (omitted > 0)
    warnings.push({ file: firstOmitted || warnings.at(-1)!.file, message: `${omitted} more warnings are not listed.` });
  return { rules, warnings };
}

function warnOfNames(paths: readonly string[], warn: (warning: Warning) => void): void {
  for (const file of paths)
    if (isWithheld(file) && !RULE_FILES.has(file))
      warn({
        file,
        message: isDotFile(file)
          ? 'The file is stored, but dot files are not served (except under .well-known/).'
          : 'The file is stored, but not served, because it is server code for another host.',
      });
  for (const { file, twin } of findCaseTwins(paths))
    warn({
      file,
      message: `The path differs from ${twin} only in case. Both are served, but many file systems can store only one.`,
    });
}
