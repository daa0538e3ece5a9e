import { type Agent, request } from 'node:http';

/** A complete response. */
export interface CompleteResponse {
  status: number;
  /** Alternating names and values of the headers, as sent. */
  rawHeaders: string[];
  headers: NodeJS.Dict<string | string[]>;
  body: Buffer;
  /** Milliseconds from sending the request to the first byte of the response. */
  firstByteMs: number;
}

/** Sends a request to a server on this machine, with `host` as its Host and no other headers than the given ones. */
export function get(
  port: number,
  host: string,
  path: string,
  headers: Record<string, string> = {},
  agent?: Agent,
): Promise<CompleteResponse> {
  return new Promise((resolve, reject) => {
    const startedMs = performance.now();
    const options = { host: '127.0.0.1', port, path, headers: { ...headers, Host: host }, agent };
    request(options, (res) => {
      const firstByteMs = performance.now() - startedMs;
      const { statusCode: status = 0, rawHeaders, headers } = res;
      const parts: Buffer[] = [];
      res.on('data', (part: Buffer) => parts.push(part)).on('error', reject);
      res.on('end', () => resolve({ status, rawHeaders, headers, body: Buffer.concat(parts), firstByteMs }));
    })
      .on('error', reject)
      .end();
  });
}
