import type { Warning } from '@berth/contract';
import type { RuleFileBytes } from '../../rule-compiler/compile-rule-files.ts';
import { invalidFile } from '../../errors.ts';
import type { ContentDigest, ContentSink, PackBuilder } from '../../storage/pack-builder.ts';
import type { FileLimits } from '../accounts/plans.ts';
import { collectFiles, createContentCheck, type DeployFiles } from './deploy-files.ts';
import {
  checkName,
  type ContentCheck,
  type LeftOutEntries,
  maxFileParts,
  payloadTooLarge,
  toPrintableName,
} from './file-rules.ts';

/** The entries of an archive that are left out: folders silently, the others with a warning. */
export type LeftOutKind = 'folder' | 'symbolic link' | 'hard link' | 'special file';

/** The entries of one archive, checked and stored as they are read. */
export interface ArchiveFiles extends DeployFiles {
  /** Starts a file by its name in the archive. This and the sink throw `validation_failed`, `payload_too_large`. */
  begin(name: string): ContentSink;
  /** Leaves an entry out. @throws `validation_failed` for a name outside the archive; `payload_too_large`. */
  leaveOut(name: string, kind: LeftOutKind): void;
  readonly leftOut: LeftOutEntries;
}

const MAX_LISTED = 100;
const ADVICE: Readonly<Record<Exclude<LeftOutKind, 'folder'>, string>> = {
  'symbolic link':
    'To publish the file that the link points to, add the file itself to the archive (tar --dereference).',
  'hard link': 'To publish the file, add its bytes again (tar --hard-dereference).',
  'special file': 'Only regular files can be published.',
};

/**
 * Collects the entries of an archive into a pack under the limits of a plan, like {@link collectFiles}. Folders, links and
 * special entries count towards the maximum number of entries.
 *
 * If `strip` is true and all files except junk are in one folder, `parts` and `ruleFiles` contain the files as if that folder
 * were the archive. A folder whose name begins with a dot is kept, because its files must not be served.
 *
 * Source: api §11; security T4, T41.
 */
export function collectArchive(
  pack: Pick<PackBuilder, 'begin'>,
  limits: FileLimits,
  onContent: (digest: ContentDigest) => void,
  check: () => void,
  strip: boolean,
): ArchiveFiles {
  const root = strip ? followRootFolder() : null;
  const received = collectFiles(pack, limits, onContent, check, (path, ruleFiles) => {
    root?.add(path);
    return createContentCheck(path, ruleFiles) ?? root?.contentCheck(path) ?? null;
  });
  const maxEntries = maxFileParts(limits);
  const warnings: Warning[] = [];
  let entries = 0;
  let warningCount = 0;

  function countEntry(name: string): string {
    entries += 1;
    if (entries > maxEntries)
      throw payloadTooLarge(
        'maxFilesCount',
        limits.maxFilesCount,
        `An archive must have at most ${maxEntries} entries, folders and links included.`,
      );
    const path = name.startsWith('./') ? name.slice(2) : name;
    const reason = outsideReason(path);
    if (reason) throw invalidFile(toPrintableName(name), reason);
    return path;
  }

  return {
    begin: (name) => received.begin(countEntry(name)),
    refusals: received.refusals,
    leaveOut(name, kind) {
      countEntry(name);
      if (kind === 'folder') return;
      warningCount += 1;
      if (warnings.length < MAX_LISTED)
        warnings.push({ file: toPrintableName(name), message: `A ${kind} is not published. ${ADVICE[kind]}` });
    },
    get parts() {
      const folder = root?.folder() ?? null;
      return folder === null ? received.parts : received.parts.map((part) => withoutFolder(part, folder, limits));
    },
    get ruleFiles() {
      return root && root.folder() !== null ? root.ruleFiles() : received.ruleFiles;
    },
    leftOut: {
      warnings,
      get warningCount() {
        return warningCount;
      },
    },
  };
}

/** Returns why the name of an entry could be outside the folder into which an archive is unpacked; otherwise `null`. */
function outsideReason(path: string): string | null {
  if (path.startsWith('/')) return 'the name must be relative: create the archive inside the folder of the site';
  if (/^[A-Za-z]:/.test(path)) return 'the name must not begin with a drive letter';
  return path.split(/[/\\]/).includes('..') ? 'the name must not have a ".." segment' : null;
}

function withoutFolder<T extends { path: string; junk: boolean }>(part: T, folder: string, limits: FileLimits): T {
  if (part.junk) return part;
  return { ...part, path: checkName(part.path.slice(folder.length + 1), limits).path };
}

/** Follows the files of an archive, to find the one folder that contains all of them. */
interface RootFolder {
  /** Adds the path of a file that will be published. */
  add(path: string): void;
  /** Returns the folder that contains all files so far; `null` if there is no such folder. */
  folder(): string | null;
  /** Checks a rule file in that folder. Does not throw; {@link ruleFiles} does. */
  contentCheck(path: string): ContentCheck | null;
  /** Returns the rule files in that folder. @throws `validation_failed` for an invalid rule file. */
  ruleFiles(): RuleFileBytes;
}

function followRootFolder(): RootFolder {
  let folder: string | null | undefined;
  let ruleFiles: RuleFileBytes = {};
  let refusal: unknown = null;
  return {
    add(path) {
      if (folder === undefined) folder = path.includes('/') && !path.startsWith('.') ? path.split('/', 1)[0]! : null;
      if (folder === null || path.startsWith(`${folder}/`)) return;
      folder = null;
      ruleFiles = {};
    },
    folder: () => folder ?? null,
    contentCheck(path) {
      if (typeof folder !== 'string' || refusal !== null) return null;
      const check = createContentCheck(path.slice(folder.length + 1), ruleFiles);
      const attempt = (step: () => void) => {
        try {
          if (refusal === null) step();
        } catch (error) {
          refusal = error;
        }
      };
      return check && { write: (chunk) => attempt(() => check.write(chunk)), end: () => attempt(() => check.end()) };
    },
    ruleFiles() {
      if (refusal !== null) throw refusal;
      return ruleFiles;
    },
  };
}
