import { writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { type CompleteResponse, get } from './get.ts';

/** Headers of one response. */
type Headers = Record<string, string>;

/** A recorded response of Berth, which a bare server can repeat. */
export interface RecordedResponse {
  host: string;
  /** The path; empty for the response to every path that is not recorded. */
  path: string;
  status: number;
  headers: Headers;
  /** The file that contains the body. */
  body: string;
  /** The headers of the 304; `null` if no 304 was requested. */
  unchanged: Headers | null;
  /** The response to clients that accept brotli; `null` if it is the same. */
  br: { headers: Headers; body: string } | null;
}

/** Headers that node:http adds itself, and headers that differ for each request. */
const EXCLUDED_HEADERS = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding', 'x-request-id']);

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/**
 * Records the responses of Berth for one path, for every way in which the rows request it.
 *
 * @param body The file that contains the content. If `path` is empty, the page of Berth is written to this file.
 */
export async function recordFile(port: number, host: string, path: string, body: string): Promise<RecordedResponse> {
  const fullResponse = await get(port, host, path === '' ? '/missing.html' : path, {}, agent);
  if (path === '') await writeFile(body, fullResponse.body);
  const recorded = {
    host,
    path,
    status: fullResponse.status,
    headers: headersOf(fullResponse),
    body,
    unchanged: null,
    br: null,
  };
  const tag = fullResponse.headers['etag'];
  if (typeof tag !== 'string') return recorded;
  const unchangedResponse = await get(port, host, path, { 'If-None-Match': tag }, agent);
  const codedResponse = await get(port, host, path, { 'Accept-Encoding': 'br' }, agent);
  const isCoded = codedResponse.headers['content-encoding'] === 'br';
  if (isCoded) await writeFile(`${body}.br`, codedResponse.body);
  return {
    ...recorded,
    unchanged: headersOf(unchangedResponse),
    br: isCoded ? { headers: headersOf(codedResponse), body: `${body}.br` } : null,
  };
}

/** Records the front pages of many sites. @param folder A folder that contains a folder for each host. */
export function recordPages(port: number, hosts: readonly string[], folder: string): Promise<RecordedResponse[]> {
  return Promise.all(
    hosts.map(async (host) => {
      const reply = await get(port, host, '/', {}, agent);
      const body = join(folder, host, 'index.html');
      return { host, path: '/', status: reply.status, headers: headersOf(reply), body, unchanged: null, br: null };
    }),
  );
}

function headersOf({ rawHeaders }: CompleteResponse): Headers {
  const pairs = rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [[name, rawHeaders[i + 1]!] as const] : []));
  return Object.fromEntries(pairs.filter(([name]) => !EXCLUDED_HEADERS.has(name.toLowerCase())));
}
