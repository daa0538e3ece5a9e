import { hash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import type { CreatedDeployment } from '@berth/contract';
import { field, type Form, multipart, post, rawFile } from './multipart.ts';

/** API key of the owner on every test server. */
export const OWNER_KEY = 'ship-00000000000000000000000000000001';

/** A complete HTTP response. */
export interface HttpResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  bytes: Buffer;
  text: string;
  /** Parses the body as JSON. @throws when the body is not JSON. */
  json<T = Record<string, unknown>>(): T;
}

export interface RequestOptions {
  method?: string;
  /** API key of the request; `null` sends no `Authorization`. Default: the owner's key. */
  key?: string | null;
  headers?: Record<string, string>;
  body?: Buffer | string | undefined;
  /** Value that is sent as JSON instead of `body`. */
  json?: unknown;
}

/** The bytes of each file to publish, by file name. */
export type Files = Record<string, string | Buffer>;

export interface PublishOptions extends RequestOptions {
  /** Additional form fields. Missing `checksums` are computed. */
  fields?: Record<string, string>;
}

export type TestClient = ReturnType<typeof createTestClient>;

/** Creates functions that send requests to a port. `onResponse` gets every response of the API host. */
export function createTestClient(port: number, onResponse: (response: HttpResponse) => void = () => {}) {
  const api = async (path: string, options: RequestOptions = {}) => {
    const response = await send(port, `localhost:${port}`, path, options);
    onResponse(response);
    return response;
  };
  const deploy = (files: Files, { fields, ...options }: PublishOptions = {}) =>
    post({ api }, formOf(files, fields), options);
  return {
    api,
    deploy,
    visit: (site: string, path = '/', options: RequestOptions = {}) =>
      send(port, hostOf(site, port), path, { key: null, ...options }),
    async publish(files: Files, options: PublishOptions = {}): Promise<CreatedDeployment> {
      const response = await deploy(files, options);
      if (response.status !== 201) throw new Error(`Publishing returned ${response.status}: ${response.text}`);
      return response.json<CreatedDeployment>();
    },
  };
}

/** Encodes files and fields as a multipart form. Names are not escaped, so that tests can use any bytes. */
export function formOf(files: Files, fields: Record<string, string> = {}): Form {
  const checksums = JSON.stringify(Object.values(files).map((bytes) => hash('md5', bytes)));
  const type = 'Content-Type: application/octet-stream';
  return multipart([
    ...Object.entries(files).map(([name, bytes]) => rawFile(`filename="${name}"`, bytes, type)),
    ...Object.entries({ checksums, ...fields }).map(([name, value]) => field(name, value)),
  ]);
}

function hostOf(site: string, port: number): string {
  return site.includes('://') ? new URL(site).host : `${site}.localhost:${port}`;
}

function send(
  port: number,
  host: string,
  path: string,
  { method = 'GET', key = OWNER_KEY, headers = {}, json, body = JSON.stringify(json) }: RequestOptions,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const req = httpRequest({
      host: '127.0.0.1',
      port,
      path,
      method,
      agent: false,
      headers: {
        Host: host,
        ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
        ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
        ...headers,
      },
    });
    req.on('error', reject);
    req.on('response', (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('error', reject);
      res.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const text = bytes.toString();
        resolve({ status: res.statusCode!, headers: res.headers, bytes, text, json: () => JSON.parse(text) });
      });
    });
    req.end(body);
  });
}
