import { request as httpRequest } from 'node:http';

export interface HttpRequest {
  host: string;
  path: string;
  method?: string;
  key?: string | null;
  headers?: Record<string, string>;
  body?: Buffer | undefined;
  json?: unknown;
  /** Closes the connection after this many bytes of the body. */
  cutAfter?: number;
  timeoutMs?: number;
}

export interface HttpResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  bytes: Buffer;
  text(): string;
  json<T = Record<string, unknown>>(): T;
}

export type Http = (request: HttpRequest) => Promise<HttpResponse>;

const TIMEOUT_MS = 30_000;

/** Creates a function that sends requests to several nodes in turn, and to the next one if a node refuses the connection. */
export function balance(nodes: readonly Http[]): Http {
  let turn = 0;
  return async (request) => {
    turn += 1;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await nodes[(turn + attempt) % nodes.length]!(request);
      } catch (error) {
        const isRefused = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
        if (!isRefused || attempt === nodes.length - 1) throw error;
      }
    }
  };
}

/** Creates a function that sends requests to a port, each on its own connection. It rejects if the response is not complete. */
export function createHttp(port: number): Http {
  return ({ host, path, method = 'GET', key = null, headers = {}, json, cutAfter, timeoutMs = TIMEOUT_MS, ...rest }) =>
    new Promise((resolve, reject) => {
      const body = json === undefined ? rest.body : Buffer.from(JSON.stringify(json));
      const req = httpRequest({
        host: '127.0.0.1',
        port,
        path,
        method,
        agent: false,
        timeout: timeoutMs,
        headers: {
          Host: `${host}:${port}`,
          ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
          ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(body === undefined ? {} : { 'Content-Length': String(body.length) }),
          ...headers,
        },
      });
      req.on('error', reject).on('timeout', () => req.destroy(new Error('The response took too long.')));
      req.on('response', (res) => {
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('error', reject).on('aborted', () => reject(new Error('The response was cut.')));
        res.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const text = () => bytes.toString();
          resolve({ status: res.statusCode!, headers: res.headers, bytes, text, json: () => JSON.parse(text()) });
        });
      });
      if (cutAfter !== undefined && body) {
        req.write(body.subarray(0, cutAfter));
        setTimeout(() => req.destroy(new Error('The request was cut.')), 30);
      } else req.end(body);
    });
}
