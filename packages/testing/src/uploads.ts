import { hash } from 'node:crypto';
import type { BegunUpload, CreatedDeployment, ReceivedContents, UploadFile } from '@berth/contract';
import { BeginUpload } from '@berth/contract';
import type { Caller, Core } from '../../core/src/core.ts';
import { beginUpload } from '../../core/src/services/uploads/begin-upload.ts';
import { commitUpload } from '../../core/src/services/uploads/commit-upload.ts';
import { receiveContents } from '../../core/src/services/uploads/receive-contents.ts';

export type UploadFiles = Record<string, string | Uint8Array>;

export const sha256Of = (bytes: string | Uint8Array): string => hash('sha256', bytes);

/** Converts files to the list that `beginUpload` expects. */
export function listOf(files: UploadFiles): UploadFile[] {
  return Object.entries(files).map(([path, bytes]) => ({
    path,
    size: Buffer.byteLength(bytes),
    sha256: sha256Of(bytes),
  }));
}

/** Begins an upload as the routes do: the schema parses the input first. */
export function begin(core: Core, caller: Caller, input: object, idempotencyKey?: string): Promise<BegunUpload> {
  return beginUpload({ core, caller, idempotencyKey }, BeginUpload.parse(input));
}

/** A content to send, with the fields of its head. Default: the true hash and length. */
export interface Sent {
  bytes: string | Uint8Array;
  sha256?: string;
  length?: number;
}

/** Sends contents in one request body. */
export async function send(
  core: Core,
  caller: Caller,
  upload: string,
  contents: readonly Sent[],
): Promise<ReceivedContents> {
  const body = await receiveContents({ core, caller }, upload);
  try {
    for (const { bytes, sha256 = sha256Of(bytes), length = Buffer.byteLength(bytes) } of contents) {
      const sink = body.begin(sha256, length);
      await sink.write(Buffer.from(bytes));
      sink.end();
    }
    return await body.keep();
  } finally {
    await body.close();
  }
}

export function sendMissing(core: Core, caller: Caller, { upload, missing }: BegunUpload, files: UploadFiles) {
  const byHash = new Map(Object.values(files).map((bytes) => [sha256Of(bytes), bytes]));
  const contents = missing.map((sha256) => ({ bytes: byHash.get(sha256)! }));
  return send(core, caller, upload, contents);
}

/** Begins an upload of files and sends the missing contents. */
export async function uploadAll(
  core: Core,
  caller: Caller,
  files: UploadFiles,
  options: object = {},
): Promise<BegunUpload> {
  const begunUpload = await begin(core, caller, { files: listOf(files), ...options });
  if (begunUpload.missing.length > 0) await sendMissing(core, caller, begunUpload, files);
  return begunUpload;
}

export async function publishDelta(
  core: Core,
  caller: Caller,
  files: UploadFiles,
  options: object = {},
): Promise<CreatedDeployment> {
  const { upload } = await uploadAll(core, caller, files, options);
  return commitUpload({ core, caller }, upload);
}
