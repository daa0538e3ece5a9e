import { type BegunUpload, CONTENT_HEAD_BYTES, CONTENTS_TYPE } from '@berth/contract';
import type { Files, HttpResponse, RequestOptions, TestClient } from './requests.ts';
import { listOf, sha256Of } from './uploads.ts';

type ApiClient = Pick<TestClient, 'api'>;

/** Encodes one content for a request body: a head with hash and length, which `head` may falsify, and the bytes. */
export function contentOf(bytes: string | Buffer, head: { sha256?: string; length?: number | bigint } = {}): Buffer {
  const encodedHead = Buffer.alloc(CONTENT_HEAD_BYTES);
  encodedHead.write(head.sha256 ?? sha256Of(bytes), 'hex');
  encodedHead.writeBigUInt64BE(BigInt(head.length ?? Buffer.byteLength(bytes)), 32);
  return Buffer.concat([encodedHead, Buffer.from(bytes)]);
}

export function bodyOf(contents: readonly (string | Buffer)[]): Buffer {
  return Buffer.concat(contents.map((bytes) => contentOf(bytes)));
}

export function begin(client: ApiClient, input: object, options: RequestOptions = {}): Promise<HttpResponse> {
  return client.api('/uploads', { method: 'POST', json: input, ...options });
}

export function send(
  client: ApiClient,
  upload: string,
  body: Buffer,
  options: RequestOptions = {},
): Promise<HttpResponse> {
  return client.api(`/uploads/${upload}/contents`, {
    method: 'PUT',
    ...options,
    headers: { 'Content-Type': CONTENTS_TYPE, ...options.headers },
    body,
  });
}

export function commit(client: ApiClient, upload: string, options: RequestOptions = {}): Promise<HttpResponse> {
  return client.api(`/uploads/${upload}/commit`, { method: 'POST', ...options });
}

export function abort(client: ApiClient, upload: string, options: RequestOptions = {}): Promise<HttpResponse> {
  return client.api(`/uploads/${upload}`, { method: 'DELETE', ...options });
}

/** Sends the contents that the server reported as missing when the upload began. */
export function sendMissing(
  client: ApiClient,
  { upload, missing }: BegunUpload,
  files: Files,
  options: RequestOptions = {},
) {
  const byHash = new Map(Object.values(files).map((bytes) => [sha256Of(bytes), bytes]));
  return send(client, upload, bodyOf(missing.map((sha256) => byHash.get(sha256)!)), options);
}

/** Publishes files with a delta upload. @returns The response to the commit. @throws when an earlier step fails. */
export async function publishDelta(
  client: ApiClient,
  files: Files,
  input: object = {},
  options: RequestOptions = {},
): Promise<HttpResponse> {
  const begunUpload = await begin(client, { files: listOf(files), ...input }, options);
  if (begunUpload.status !== 201)
    throw new Error(`Beginning the upload returned ${begunUpload.status}: ${begunUpload.text}`);
  const upload = begunUpload.json<BegunUpload>();
  if (upload.missing.length > 0) {
    const response = await sendMissing(client, upload, files, options);
    if (response.status !== 200) throw new Error(`Sending the contents returned ${response.status}: ${response.text}`);
  }
  return commit(client, upload.upload, options);
}
