import { hash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import type { CreatedDeployment } from '@berth/contract';
import { field, type Form, multipart, post, rawFile } from './multipart.ts';

/** The owner's API key on every test server. */
export const OWNER_KEY = 'ship-00000000000000000000000000000001';

/** A complete answer. */
export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  bytes: Buffer;
  text: string;
  /** The body as JSON. @throws when it is not JSON. */
  json<T = Record<string, unknown>>(): T;
}

export interface Ask {
  method?: string;
  /** `null` sends no `Authorization`. Default: the owner's key. */
  key?: string | null;
  headers?: Record<string, string>;
  body?: Buffer | string | undefined;
  /** Sent as JSON, in place of a body. */
  json?: unknown;
}

/** The bytes of file parts by the name in the part. */
export type Files = Record<string, string | Buffer>;

export interface PublishOptions extends Ask {
  /** Additional fields; `checksums` is added when it is missing. */
  fields?: Record<string, string>;
}

/**
 * Functions that send requests to a port.
 *
 * @param onAnswer Called with every answer of the API host.
 */
export function askerOf(port: number, onAnswer: (answer: Answer) => void = () => {}) {
  const api = async (path: string, ask: Ask = {}) => {
    const answer = await send(port, `localhost:${port}`, path, ask);
    onAnswer(answer);
    return answer;
  };
  const deploy = (files: Files, { fields, ...ask }: PublishOptions = {}) => post({ api }, formOf(files, fields), ask);
  return {
    api,
    deploy,
    visit: (site: string, path = '/', ask: Ask = {}) => send(port, hostOf(site, port), path, { key: null, ...ask }),
    async publish(files: Files, options: PublishOptions = {}): Promise<CreatedDeployment> {
      const answer = await deploy(files, options);
      if (answer.status !== 201) throw new Error(`Publishing answered ${answer.status}: ${answer.text}`);
      return answer.json<CreatedDeployment>();
    },
  };
}

/** A multipart form of files and fields. Names are not escaped, so that they can contain anything. */
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
  { method = 'GET', key = OWNER_KEY, headers = {}, json, body = JSON.stringify(json) }: Ask,
): Promise<Answer> {
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
