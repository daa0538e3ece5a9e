import { FileRefusals, mayHoldPrivateKey, PRIVATE_KEY_MARKER } from '@berth/contract';
import { invalid, invalidFile, InvalidFiles } from '../../errors.ts';
import type { ContentDigest, ContentSink, PackBuilder } from '../../storage/pack-builder.ts';
import type { RuleFileBytes } from '../../rule-compiler/compile-rule-files.ts';
import type { FileLimits } from '../accounts/plans.ts';
import { type ContentCheck, createFileChecker, type LeftOutEntries } from './file-rules.ts';
import { createRuleFileCheck } from './rule-files.ts';

/** A file part that has arrived completely. */
interface UploadedFile extends ContentDigest {
  path: string;
  /** True for a file such as `.DS_Store`, which has a checksum but is not published. */
  junk: boolean;
}

/** The file parts of one upload, checked and stored as they arrive. */
export interface DeployFiles {
  /**
   * Starts a file with the filename of its part. The previous file must have ended. After a file is refused, this and all
   * other files are checked but not stored. This and the sink throw `payload_too_large`.
   */
  begin(name: string): ContentSink;
  /** The files that are refused by their names or contents. A deploy with such files must not be published. */
  readonly refusals: FileRefusals;
  /** All parts so far, in order, including junk. Their hashes are known after the pack is finished. */
  readonly parts: readonly UploadedFile[];
  /** The rule files that have arrived completely. Source: serving S22. */
  readonly ruleFiles: RuleFileBytes;
  /** The entries of an archive that are not published. */
  readonly leftOut?: LeftOutEntries;
}

/**
 * Collects files into a pack under the limits of a plan. A limit is enforced as soon as it is exceeded.
 *
 * @param onContent Receives the digest of each file that will be published, when the file has arrived.
 * @param check Called with every chunk. An error that it throws aborts the upload.
 * @param contentCheckOf Returns the check of the bytes of a file that will be published.
 */
export function collectFiles(
  pack: Pick<PackBuilder, 'begin'>,
  limits: FileLimits,
  onContent: (digest: ContentDigest) => void,
  check: () => void = () => {},
  contentCheckOf: typeof createContentCheck = createContentCheck,
): DeployFiles {
  const parts: UploadedFile[] = [];
  const ruleFiles: RuleFileBytes = {};
  const refusals = new FileRefusals();
  const checker = createFileChecker(limits, refusals);
  let digested = 0;
  // Digests arrive in the order of the files, so that no file needs a function of its own.
  const onDigest = (digest: ContentDigest) => {
    while (parts[digested]!.junk) digested += 1;
    setDigest(parts[digested]!, digest);
    digested += 1;
    onContent(digest);
  };
  // Only one file is open at a time, so all files share one sink.
  let part: UploadedFile;
  let sink: ContentSink | null;
  let content: ContentCheck | null;
  const fileSink: ContentSink = {
    write(chunk) {
      check();
      checker.grow(chunk.length);
      content?.write(chunk);
      return refusals.count > 0 ? undefined : sink?.write(chunk);
    },
    end() {
      content?.end();
      if (refusals.count > 0) return;
      sink?.end();
      parts.push(part);
    },
  };

  return {
    parts,
    ruleFiles,
    refusals,
    begin(name) {
      const { path, junk, reason } = checker.begin(name);
      const begun = { path, junk, sha256: '', md5: '', size: 0 };
      part = begun;
      if (refusals.count > 0) sink = null;
      else sink = junk ? pack.begin((digest) => setDigest(begun, digest), { keep: false }) : pack.begin(onDigest);
      content = junk || reason !== null ? null : collectRefusal(contentCheckOf(path, ruleFiles), refusals);
      return fileSink;
    },
  };
}

/** Returns a check that adds the file to `refusals` where `check` throws, and accepts the rest of the file. */
function collectRefusal(check: ContentCheck | null, refusals: FileRefusals): ContentCheck | null {
  if (check === null) return null;
  let isRefused = false;
  const attempt = (step: () => void): void => {
    if (isRefused) return;
    try {
      step();
    } catch (error) {
      if (!(error instanceof InvalidFiles)) throw error;
      isRefused = true;
      for (const { path, message } of error.details?.issues ?? []) refusals.add(path, message);
    }
  };
  return { write: (chunk) => attempt(() => check.write(chunk)), end: () => attempt(() => check.end()) };
}

function setDigest(part: UploadedFile, { sha256, md5, size }: ContentDigest): void {
  part.sha256 = sha256;
  part.md5 = md5;
  part.size = size;
}

/** Returns a check of a rule file or a file that may contain a private key; otherwise `null`. Source: api §3; serving S22. */
export function createContentCheck(path: string, ruleFiles: RuleFileBytes): ContentCheck | null {
  return mayHoldPrivateKey(path) ? createPrivateKeyCheck(path) : createRuleFileCheck(path, ruleFiles);
}

const MARKER_BYTES = 96;

function createPrivateKeyCheck(path: string): ContentCheck {
  let tail = '';
  return {
    write(chunk) {
      const text = tail + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1');
      if (PRIVATE_KEY_MARKER.test(text)) throw invalidFile(path, 'private keys are never published');
      tail = text.slice(-MARKER_BYTES);
    },
    end() {},
  };
}

/** Throws `validation_failed` unless the checksums are the MD5 of each part, in order. Source: api §3; security T7. */
export function verifyChecksums(parts: readonly UploadedFile[], checksums: readonly string[]): void {
  if (checksums.length !== parts.length)
    throw invalid(
      'checksums',
      `each file must have one MD5, in order, but there are ${checksums.length} for ${parts.length} file parts`,
    );
  for (let i = 0; i < parts.length; i += 1) {
    const { path, md5 } = parts[i]!;
    if (md5 !== checksums[i])
      throw invalidFile(path, `the received bytes have the MD5 ${md5}, but checksums[${i}] is ${checksums[i]}`);
  }
}
