import { hash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { checkSignature, S3_KEYS } from './s3-signature.ts';

export type S3Operation =
  | 'AbortMultipartUpload'
  | 'CompleteMultipartUpload'
  | 'CreateMultipartUpload'
  | 'DeleteObject'
  | 'GetObject'
  | 'HeadObject'
  | 'ListMultipartUploads'
  | 'ListObjectsV2'
  | 'PutObject'
  | 'UploadPart';

/**
 * What goes wrong with a request: it is refused with SlowDown or another status, its response is cut or has a changed byte, the
 * connection breaks after the effect, or it waits.
 */
export type S3Fault = 'slow down' | 'internal error' | 'cut' | 'changed' | 'lost answer' | Promise<void>;

export interface S3Stub {
  /** The value of `STORAGE_URL`, for a bucket that exists. */
  url: string;
  endpoint: string;
  bucket: string;
  /** The environment variables with the keys. */
  env: Record<string, string>;
  /** The requests, in order, without those that a fault refused. */
  requests: { operation: S3Operation; key: string }[];
  objects: Map<string, StoredObject>;
  uploads: Map<string, StartedUpload>;
  /** Makes the next requests for an operation fail. */
  fail(operation: S3Operation, ...faults: S3Fault[]): void;
  /** Lets requests succeed again. */
  clearFaults(): void;
  /** By how many milliseconds the clock of the store is ahead. Default: 0. */
  aheadMs: number;
  /** Called with each request before it is handled. Default: nothing. */
  onRequest: (operation: S3Operation, key: string) => void;
  close(): Promise<void>;
}

interface StoredObject {
  bytes: Buffer;
  etag: string;
  metadata: Record<string, string>;
  modified: Date;
}

interface StartedUpload {
  key: string;
  metadata: Record<string, string>;
  begun: Date;
  parts: Map<number, { bytes: Buffer; etag: string }>;
}

interface Answer {
  status: number;
  headers?: Record<string, string | number>;
  body?: Buffer | string;
}

interface S3Request {
  req: IncomingMessage;
  key: string;
  query: URLSearchParams;
  body: Buffer;
}

const BUCKET = 'berth-test';
const MIN_PART_BYTES = 5 * 1024 ** 2;
/** A small page, so that tests read several. */
const PAGE_SIZE = 20;

class S3Error extends Error {
  readonly status: number;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
  }
}

/**
 * Starts an object store in memory that is stricter than others: it verifies signatures, lengths and MD5, honours `If-None-Match`,
 * requires parts of one size, and refuses requests that it does not know.
 */
export async function startS3Stub(): Promise<S3Stub> {
  const faults = new Map<S3Operation, S3Fault[]>();
  const server = createServer((req, res) => void answer(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stub: S3Stub = {
    url: `s3://${BUCKET}/sites?endpoint=${endpoint}&path-style=1`,
    endpoint,
    bucket: BUCKET,
    env: { AWS_ACCESS_KEY_ID: S3_KEYS.accessKeyId, AWS_SECRET_ACCESS_KEY: S3_KEYS.secretAccessKey },
    requests: [],
    objects: new Map(),
    uploads: new Map(),
    fail: (operation, ...added) => void faults.set(operation, [...(faults.get(operation) ?? []), ...added]),
    clearFaults: () => faults.clear(),
    aheadMs: 0,
    onRequest: () => {},
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const nowMs = Date.now() + stub.aheadMs;
    res.setHeader('Date', new Date(nowMs).toUTCString());
    try {
      const body = await buffer(req);
      const [, bucket, key] = /^\/([^/]+)\/?(.*)$/.exec(new URL(req.url!, endpoint).pathname) ?? [];
      const request = {
        req,
        key: decodeURIComponent(key ?? ''),
        query: new URL(req.url!, endpoint).searchParams,
        body,
      };
      const operation = operationOf(request);
      stub.onRequest(operation, request.key);
      const fault = faults.get(operation)?.shift();
      if (fault instanceof Promise) await fault;
      if (fault === 'slow down') throw new S3Error(503, 'SlowDown');
      if (fault === 'internal error') throw new S3Error(500, 'InternalError');
      const refusal = checkSignature(req, body, nowMs);
      if (refusal) throw new S3Error(403, refusal);
      if (bucket !== BUCKET) throw new S3Error(404, 'NoSuchBucket');
      checkBody(request);
      stub.requests.push({ operation, key: request.key });
      const answered = perform(stub, operation, request);
      if (fault === 'lost answer') return void req.socket.destroy();
      send(req, res, answered, fault === 'cut' || fault === 'changed' ? fault : null);
    } catch (error) {
      if (req.socket.destroyed) return;
      const { status, message } = error instanceof S3Error ? error : new S3Error(500, String(error));
      send(req, res, { status, body: `<Error><Code>${message}</Code><Message>${message}</Message></Error>` }, null);
    }
  }
  return stub;
}

function operationOf({ req, key, query }: S3Request): S3Operation {
  const parameters = query.has('uploadId') ? 'upload' : query.has('uploads') ? 'uploads' : '';
  const operations: Record<string, S3Operation> = {
    'PUT object': 'PutObject',
    'GET object': 'GetObject',
    'HEAD object': 'HeadObject',
    'DELETE object': 'DeleteObject',
    'GET bucket': 'ListObjectsV2',
    'GET bucket uploads': 'ListMultipartUploads',
    'POST object uploads': 'CreateMultipartUpload',
    'PUT object upload': 'UploadPart',
    'POST object upload': 'CompleteMultipartUpload',
    'DELETE object upload': 'AbortMultipartUpload',
  };
  const operation = operations[`${req.method} ${key === '' ? 'bucket' : 'object'} ${parameters}`.trim()];
  if (!operation) throw new S3Error(501, 'NotImplemented');
  return operation;
}

function checkBody({ req, body }: S3Request): void {
  if (req.method !== 'PUT') return;
  if (req.headers['content-length'] !== String(body.length)) throw new S3Error(411, 'MissingContentLength');
  if (req.headers['content-md5'] === undefined) throw new S3Error(400, 'InvalidRequest');
  if (req.headers['content-md5'] !== hash('md5', body, 'base64')) throw new S3Error(400, 'BadDigest');
}

function send(
  req: IncomingMessage,
  res: ServerResponse,
  { status, headers = {}, body = '' }: Answer,
  fault: 'cut' | 'changed' | null,
): void {
  const bytes = Buffer.from(body as string);
  res.writeHead(status, { 'content-length': bytes.length, ...headers });
  if (fault === 'changed') bytes[bytes.length >> 1]! ^= 1;
  if (fault !== 'cut') return void res.end(req.method === 'HEAD' ? undefined : bytes);
  res.write(bytes.subarray(0, bytes.length >> 1), () => req.socket.destroy());
}

function perform(stub: S3Stub, operation: S3Operation, request: S3Request): Answer {
  const { key, query } = request;
  switch (operation) {
    case 'PutObject':
      requireAbsent(stub, request);
      return { status: 200, headers: { etag: putObject(stub, key, request.body, metadataOf(request)) } };
    case 'GetObject':
      return getRange(findObject(stub, key), request);
    case 'HeadObject': {
      const { bytes, ...object } = findObject(stub, key);
      return { status: 200, headers: { ...headersOf(object), 'content-length': bytes.length } };
    }
    case 'DeleteObject':
      stub.objects.delete(key);
      return { status: 204 };
    case 'CreateMultipartUpload': {
      const id = randomUUID();
      stub.uploads.set(id, { key, metadata: metadataOf(request), begun: new Date(), parts: new Map() });
      return xml('InitiateMultipartUploadResult', `<UploadId>${id}</UploadId>`);
    }
    case 'UploadPart': {
      const etag = `"${hash('md5', request.body)}"`;
      findUpload(stub, request).parts.set(Number(query.get('partNumber')), { bytes: request.body, etag });
      return { status: 200, headers: { etag } };
    }
    case 'CompleteMultipartUpload':
      return completeUpload(stub, request);
    case 'AbortMultipartUpload':
      findUpload(stub, request);
      stub.uploads.delete(query.get('uploadId')!);
      return { status: 204 };
    case 'ListObjectsV2':
      return listObjects(stub, request);
    case 'ListMultipartUploads':
      return listUploads(stub, request);
    default:
      return operation satisfies never;
  }
}

function requireAbsent({ objects }: S3Stub, { req, key }: S3Request): void {
  if (req.headers['if-none-match'] === '*' && objects.has(key)) throw new S3Error(412, 'PreconditionFailed');
}

function putObject({ objects }: S3Stub, key: string, bytes: Buffer, metadata: Record<string, string>): string {
  const etag = `"${hash('md5', bytes)}"`;
  objects.set(key, { bytes, etag, metadata, modified: new Date() });
  return etag;
}

function metadataOf({ req }: S3Request): Record<string, string> {
  const headers = Object.entries(req.headers).filter(([name]) => name.startsWith('x-amz-meta-'));
  return Object.fromEntries(headers) as Record<string, string>;
}

function headersOf({ etag, metadata, modified }: Omit<StoredObject, 'bytes'>): Record<string, string> {
  return { etag, 'last-modified': modified.toUTCString(), ...metadata };
}

function findObject({ objects }: S3Stub, key: string): StoredObject {
  const object = objects.get(key);
  if (!object) throw new S3Error(404, 'NoSuchKey');
  return object;
}

function findUpload({ uploads }: S3Stub, { key, query }: S3Request): StartedUpload {
  const upload = uploads.get(query.get('uploadId')!);
  if (upload?.key !== key) throw new S3Error(404, 'NoSuchUpload');
  return upload;
}

function getRange({ bytes, ...object }: StoredObject, { req }: S3Request): Answer {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(req.headers.range ?? '') ?? [];
  if (first === undefined) return { status: 200, headers: headersOf(object), body: bytes };
  const start = Number(first);
  if (start >= bytes.length) throw new S3Error(416, 'InvalidRange');
  const part = bytes.subarray(start, Number(last) + 1);
  const range = `bytes ${start}-${start + part.length - 1}/${bytes.length}`;
  return { status: 206, headers: { ...headersOf(object), 'content-range': range }, body: Buffer.from(part) };
}

function completeUpload(stub: S3Stub, request: S3Request): Answer {
  const { parts, metadata } = findUpload(stub, request);
  requireAbsent(stub, request);
  const listed = [...String(request.body).matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => {
    const number = Number(/<PartNumber>(\d+)</.exec(part)?.[1]);
    const found = parts.get(number);
    if (/<ETag>(.*?)</.exec(part)?.[1]?.replaceAll('&quot;', '"') !== found?.etag || !found)
      throw new S3Error(400, 'InvalidPart');
    return found.bytes;
  });
  for (const bytes of listed.slice(0, -1))
    if (bytes.length < MIN_PART_BYTES || bytes.length !== listed[0]!.length) throw new S3Error(400, 'EntityTooSmall');
  if (listed.length === 0) throw new S3Error(400, 'MalformedXML');
  putObject(stub, request.key, Buffer.concat(listed), metadata);
  stub.uploads.delete(request.query.get('uploadId')!);
  return xml('CompleteMultipartUploadResult', `<Key>${request.key}</Key>`);
}

function listObjects({ objects }: S3Stub, { query }: S3Request): Answer {
  const after = query.get('continuation-token') ?? '';
  const keys = [...objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after).toSorted();
  const page = keys.slice(0, PAGE_SIZE);
  const contents = page.map(
    (key) => `<Contents><Key>${key}</Key><Size>${objects.get(key)!.bytes.length}</Size></Contents>`,
  );
  const next = keys.length > page.length ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  return xml('ListBucketResult', `<IsTruncated>${next !== ''}</IsTruncated>${next}${contents.join('')}`);
}

function listUploads({ uploads }: S3Stub, { query }: S3Request): Answer {
  const found = [...uploads].filter(([, { key }]) => key.startsWith(query.get('prefix') ?? ''));
  const list = found.map(
    ([id, { key, begun }]) =>
      `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${begun.toISOString()}</Initiated></Upload>`,
  );
  return xml('ListMultipartUploadsResult', `<IsTruncated>false</IsTruncated>${list.join('')}`);
}

function xml(root: string, content: string): Answer {
  return { status: 200, headers: { 'content-type': 'application/xml' }, body: `<${root}>${content}</${root}>` };
}
