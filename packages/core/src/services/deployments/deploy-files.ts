import { type DeployLimits, mayHoldPrivateKey, PRIVATE_KEY_MARKER } from '@berth/contract';
import { invalid, invalidFile } from '../../errors.ts';
import type { Digest, PackBuilder } from '../../storage/pack-builder.ts';
import type { RuleFiles } from '../../serving/rules/compile.ts';
import { judgeFiles } from './file-rules.ts';
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

/**
 * Collects files into a pack under the limits of a plan. Every limit is refused the moment it is crossed.
 *
 * @param onContent Called with each file that is to be published, when it has arrived.
 * @param check Called with every chunk; what it throws ends the upload.
 */
export function collectFiles(
  pack: Pick<PackBuilder, 'begin'>,
  limits: DeployLimits,
  onContent: (digest: Digest) => void,
  check: () => void = () => {},
): DeployFiles {
  const parts: UploadedFile[] = [];
  const ruleFiles: RuleFiles = {};
  const judge = judgeFiles(limits);

  return {
    parts,
    ruleFiles,
    begin(name) {
      const { path, junk, grow } = judge(name);
      const part: UploadedFile = { path, junk, sha256: '', md5: '', size: 0 };
      const sink = pack.begin(
        (digest) => {
          Object.assign(part, digest);
          if (!junk) onContent(digest);
        },
        { keep: !junk },
      );
      const content = junk ? null : contentCheck(path, ruleFiles);
      return {
        write(chunk) {
          check();
          grow(chunk.length);
          content?.write(chunk);
          return sink.write(chunk);
        },
        end() {
          sink.end();
          content?.end();
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

/**
 * Looks at the content of a file whose name says that it has to be looked at.
 *
 * @param ruleFiles Gets it when it is a rule file.
 * @returns `null` for most files. Source: contract §3; serving S22.
 */
export function contentCheck(path: string, ruleFiles: RuleFiles): ContentCheck | null {
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
