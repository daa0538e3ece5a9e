import { type BegunUpload, CONTENT_HEAD_BYTES, CONTENTS_TYPE } from '@berth/contract';
import type { Answer, Ask, askerOf, Files } from './requests.ts';
import { listOf, sha256Of } from './uploads.ts';

type Asker = Pick<ReturnType<typeof askerOf>, 'api'>;

/** A content in a body: its head, which may be wrong, and its bytes. */
export function contentOf(bytes: string | Buffer, said: { sha256?: string; length?: number | bigint } = {}): Buffer {
  const head = Buffer.alloc(CONTENT_HEAD_BYTES);
  head.write(said.sha256 ?? sha256Of(bytes), 'hex');
  head.writeBigUInt64BE(BigInt(said.length ?? Buffer.byteLength(bytes)), 32);
  return Buffer.concat([head, Buffer.from(bytes)]);
}

/** A body of contents. */
export function bodyOf(contents: readonly (string | Buffer)[]): Buffer {
  return Buffer.concat(contents.map((bytes) => contentOf(bytes)));
}

/** `POST /uploads`. */
export function begin(asker: Asker, input: object, ask: Ask = {}): Promise<Answer> {
  return asker.api('/uploads', {
    method: 'POST',
    ...ask,
    headers: { 'Content-Type': 'application/json', ...ask.headers },
    body: JSON.stringify(input),
  });
}

/** `PUT /uploads/{upload}/contents`. */
export function send(asker: Asker, upload: string, body: Buffer, ask: Ask = {}): Promise<Answer> {
  return asker.api(`/uploads/${upload}/contents`, {
    method: 'PUT',
    ...ask,
    headers: { 'Content-Type': CONTENTS_TYPE, ...ask.headers },
    body,
  });
}

/** `POST /uploads/{upload}/commit`. */
export function commit(asker: Asker, upload: string, ask: Ask = {}): Promise<Answer> {
  return asker.api(`/uploads/${upload}/commit`, { method: 'POST', ...ask });
}

/** `DELETE /uploads/{upload}`. */
export function abort(asker: Asker, upload: string, ask: Ask = {}): Promise<Answer> {
  return asker.api(`/uploads/${upload}`, { method: 'DELETE', ...ask });
}

/** Sends the contents that `begin` reported as missing. */
export function sendMissing(asker: Asker, { upload, missing }: BegunUpload, files: Files, ask: Ask = {}) {
  const byHash = new Map(Object.values(files).map((bytes) => [sha256Of(bytes), bytes]));
  return send(asker, upload, bodyOf(missing.map((sha256) => byHash.get(sha256)!)), ask);
}

/** Publishes files with an upload; the answer is that of the commit. @throws when an earlier step fails. */
export async function publishDelta(asker: Asker, files: Files, options: object = {}, ask: Ask = {}): Promise<Answer> {
  const begunUpload = await begin(asker, { files: listOf(files), ...options }, ask);
  if (begunUpload.status !== 201) throw new Error(`Beginning answered ${begunUpload.status}: ${begunUpload.text}`);
  const upload = begunUpload.json<BegunUpload>();
  if (upload.missing.length > 0) {
    const sent = await sendMissing(asker, upload, files, ask);
    if (sent.status !== 200) throw new Error(`Sending answered ${sent.status}: ${sent.text}`);
  }
  return commit(asker, upload.upload, ask);
}
