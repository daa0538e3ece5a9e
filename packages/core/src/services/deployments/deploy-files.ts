import {
  type DeployLimits,
  findPathConflict,
  isJunk,
  mayHoldPrivateKey,
  normalizePath,
  PRIVATE_KEY_MARKER,
  refusedPath,
  type SizeLimit,
} from '@berth/contract';
import { invalid, invalidFile, ServiceError } from '../../errors.ts';
import type { Digest, PackBuilder } from '../../storage/pack-builder.ts';
import type { RuleFiles } from '../../serving/rules/compile.ts';
import { keepRuleFile } from './rule-files.ts';

/** A file part that arrived whole. */
export interface UploadedFile extends Digest {
  path: string;
  /** Left behind by a desktop system: it takes part in the checksums and is then forgotten. */
  junk: boolean;
}

/** Takes the bytes of one file part. */
export interface FileSink {
  /** @returns A promise when the sender should pause. @throws `payload_too_large`, `validation_failed`. */
  write(chunk: Uint8Array): Promise<void> | undefined;
  /** Ends the file. @throws `validation_failed` when its content is refused. */
  end(): void;
}

/** The file parts of one upload, checked and stored as they arrive. */
export interface DeployFiles {
  /** Starts a file. @param name The filename as the part carried it. @throws `validation_failed`, `payload_too_large`. */
  begin(name: string): FileSink;
  /** Every part so far, in order, junk included. What a part is made of is known once the pack has finished. */
  readonly parts: readonly UploadedFile[];
  /** The rule files among them that arrived whole. Source: serving S22. */
  readonly ruleFiles: RuleFiles;
}

/** How many file parts a deploy may have: junk is not counted for the user, but it is counted here. Source: security T4. */
export function maxParts(limits: DeployLimits): number {
  return limits.maxFilesCount * 2 + 100;
}

/** @throws `payload_too_large` in the one form it has. Source: contract §2. */
export function tooLarge(limit: SizeLimit, max: number, message: string, file?: string): ServiceError {
  return new ServiceError('payload_too_large', message, {
    details: { limit, max, ...(file === undefined ? {} : { file }) },
  });
}

/**
 * Collects files into a pack under the limits of a plan. Every limit is refused the moment it is crossed.
 *
 * @param onContent Told the SHA-256 of each file that is to be published, when it has arrived.
 */
export function collectFiles(
  pack: Pick<PackBuilder, 'begin'>,
  limits: DeployLimits,
  onContent: (sha256: string) => void,
): DeployFiles {
  const parts: UploadedFile[] = [];
  const ruleFiles: RuleFiles = {};
  let started = 0;
  let files = 0;
  let totalBytes = 0;

  return {
    parts,
    ruleFiles,
    begin(name) {
      const read = normalizePath(name);
      if (!read.ok) throw invalidFile(shown(name), read.reason);
      const { path } = read;
      const junk = isJunk(path);
      const refused = junk ? null : refusedPath(path);
      if (refused) throw invalidFile(path, refused);
      started += 1;
      if (started > maxParts(limits))
        throw tooLarge('maxFilesCount', limits.maxFilesCount, `A deploy has at most ${maxParts(limits)} parts.`);
      if (!junk) files += 1;
      if (files > limits.maxFilesCount)
        throw tooLarge('maxFilesCount', limits.maxFilesCount, `A deploy has at most ${limits.maxFilesCount} files.`);

      const part: UploadedFile = { path, junk, sha256: '', md5: '', size: 0 };
      const sink = pack.begin(
        (digest) => {
          Object.assign(part, digest);
          if (!junk) onContent(digest.sha256);
        },
        { keep: !junk },
      );
      const check = junk ? null : contentCheck(path, ruleFiles);
      let size = 0;
      return {
        write(chunk) {
          size += chunk.length;
          if (size > limits.maxFileSize)
            throw tooLarge(
              'maxFileSize',
              limits.maxFileSize,
              `${path}: a file has at most ${limits.maxFileSize} bytes.`,
              path,
            );
          if (!junk) {
            totalBytes += chunk.length;
            if (totalBytes > limits.maxTotalSize)
              throw tooLarge(
                'maxTotalSize',
                limits.maxTotalSize,
                `A deploy has at most ${limits.maxTotalSize} bytes.`,
                path,
              );
          }
          check?.write(chunk);
          return sink.write(chunk);
        },
        end() {
          sink.end();
          check?.end();
          parts.push(part);
        },
      };
    },
  };
}

/** Looks at the bytes of a file as they pass; throws when they are refused. */
export interface ContentCheck {
  write(chunk: Uint8Array): void;
  end(): void;
}

function contentCheck(path: string, ruleFiles: RuleFiles): ContentCheck | null {
  return mayHoldPrivateKey(path) ? privateKeyCheck(path) : keepRuleFile(path, ruleFiles);
}

const MARKER_BYTES = 96;

function privateKeyCheck(path: string): ContentCheck {
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

/**
 * Holds the parts against the checksums: one MD5 a part, in order, each equal to what arrived.
 *
 * @throws `validation_failed` naming the first file that differs. Source: contract §3; security T7.
 */
export function matchChecksums(parts: readonly UploadedFile[], checksums: readonly string[]): void {
  if (checksums.length !== parts.length)
    throw invalid(
      'checksums',
      `has ${checksums.length} entries for ${parts.length} file parts that arrived; send one MD5 a file, in order`,
    );
  for (const [i, { path, md5 }] of parts.entries())
    if (md5 !== checksums[i])
      throw invalidFile(path, `the bytes that arrived have the MD5 ${md5}, checksums[${i}] says ${checksums[i]}`);
}

/**
 * The files a deploy publishes.
 *
 * @throws `validation_failed` when there are none, or two cannot stand side by side. Source: contract §3.
 */
export function publishedFiles(parts: readonly UploadedFile[]): UploadedFile[] {
  const files = parts.filter(({ junk }) => !junk);
  if (files.length === 0) throw invalid('files[]', 'a deploy has at least one file');
  const conflict = findPathConflict(files.map(({ path }) => path));
  if (conflict) throw invalidFile(conflict.second, `${conflict.reason} (${conflict.first} and ${conflict.second})`);
  return files;
}

/** A name as an error may show it: printable and short. */
function shown(name: string): string {
  const printable = Array.from(name.slice(0, 200), (c) => (/[\p{C}\p{Zl}\p{Zp}]/u.test(c) ? '\ufffd' : c)).join('');
  return printable === '' ? '(empty)' : printable;
}
