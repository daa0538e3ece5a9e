import { type FileRefusals, findCaseTwins, isDotFile, isWithheld, RULE_FILES, type Warning } from '@berth/contract';
import { MAX_HEADERS_BYTES, MAX_REDIRECTS_BYTES, MAX_SHIP_JSON_BYTES, scanForBasicAuth } from '@berth/serving';
import type { Core } from '../../core.ts';
import { invalidFile } from '../../errors.ts';
import { adviseProtection, MAX_WARNINGS, type RuleFileBytes } from '../../rule-compiler/compile-rule-files.ts';
import type { ContentCheck, LeftOutEntries } from './file-rules.ts';
import { warnOfForeignFiles } from './foreign-files.ts';
import type { Publication } from './publish.ts';

/** The configuration file of Netlify. It has no effect, but `Basic-Auth` in it shows that its owner expects protection. */
const NETLIFY_FILE = 'netlify.toml';

/**
 * Returns a check of a rule file, which also keeps the bytes that will be compiled; `null` for other files. The check
 * throws `validation_failed` for a `ship.json` that is larger than 256 KiB, and for a `_headers` or a `netlify.toml` with a
 * `Basic-Auth` field. The other checks are made by {@link compileDeployRules}.
 *
 * @param ruleFiles Receives the file when all of it has arrived. Source: api §3; serving S22, S23, S65.
 */
export function createRuleFileCheck(path: string, ruleFiles: RuleFileBytes): ContentCheck | null {
  switch (path) {
    case NETLIFY_FILE:
      return { write: refuseBasicAuth(path), end() {} };
    case 'ship.json':
      return checkShipJson(ruleFiles);
    case '_redirects':
      return keepLines(MAX_REDIRECTS_BYTES, (bytes) => (ruleFiles._redirects = bytes));
    case '_headers':
      return checkHeadersFile(ruleFiles);
    default:
      return null;
  }
}

function checkShipJson(ruleFiles: RuleFileBytes): ContentCheck {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    write(chunk) {
      size += chunk.length;
      if (size > MAX_SHIP_JSON_BYTES)
        throw invalidFile('ship.json', `the file must have at most ${MAX_SHIP_JSON_BYTES} bytes`);
      chunks.push(Buffer.from(chunk));
    },
    end: () => void (ruleFiles['ship.json'] = Buffer.concat(chunks)),
  };
}

function checkHeadersFile(ruleFiles: RuleFileBytes): ContentCheck {
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
    if (line !== null) throw invalidFile(file, adviseProtection(`line ${line}`, 'Basic-Auth'));
  };
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

/** Adds a rule file that {@link compileDeployRules} would refuse to the files that are refused already. */
export async function addRuleFileRefusal(
  { ruleCompiler }: Core,
  { ruleFiles, refusals }: { ruleFiles: RuleFileBytes; refusals: FileRefusals },
): Promise<void> {
  const compiled = await ruleCompiler.compile(ruleFiles, []);
  if (compiled.kind === 'refused') refusals.add(compiled.file, compiled.message);
}

/**
 * Compiles the rule files, and collects warnings about all files: the first 100, and a warning with the number of the
 * remaining warnings.
 *
 * @param leftOut The entries of an archive that are not published.
 * @throws `validation_failed` for a `ship.json` that is not a JSON object in UTF-8, is nested deeper than 8 or has a `Basic-Auth`
 *   field, and for a `_redirects` with a `Role=` condition; `unavailable`. Source: serving S12, S22, S23, S65.
 */
export async function compileDeployRules(
  { ruleCompiler }: Core,
  ruleFiles: RuleFileBytes,
  published: readonly { path: string }[],
  leftOut: LeftOutEntries = { warnings: [], warningCount: 0 },
): Promise<Pick<Publication, 'rules' | 'warnings'>> {
  const paths = published.map(({ path }) => path);
  const compiled = await ruleCompiler.compile(ruleFiles, paths);
  if (compiled.kind === 'refused') throw invalidFile(compiled.file, compiled.message);
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
  for (const listed of [leftOut, compiled]) {
    for (const warning of listed.warnings) warn(warning);
    omitted += listed.warningCount - listed.warnings.length;
  }
  warnOfForeignFiles(paths, warn);
  warnOfNames(paths, warn);
  if (omitted > 0)
    warnings.push({ file: firstOmitted || warnings.at(-1)!.file, message: `${omitted} more warnings are not listed.` });
  return { rules: compiled.rules, warnings };
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
