import { writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { type Got, get } from './get.ts';

/** Headers of one answer. */
type Headers = Record<string, string>;

/** A recorded answer of Berth, which a bare server can repeat. */
export interface RecordedAnswer {
  host: string;
  /** Empty for the answer to every path that is not recorded. */
  path: string;
  status: number;
  headers: Headers;
  /** The file that contains the body. */
  body: string;
  /** The headers of its 304; `null` when no 304 was requested. */
  unchanged: Headers | null;
  /** The answer to clients that accept brotli; `null` when it is the same. */
  br: { headers: Headers; body: string } | null;
}

/** Headers that node:http adds automatically, and those that differ for each request. */
const OWN = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding', 'x-request-id']);

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/**
 * Records the answers of Berth for one path, in every way the rows request it.
 *
 * @param body The file that contains the content. If `path` is empty, Berth's own page is written to it.
 */
export async function recordFile(port: number, host: string, path: string, body: string): Promise<RecordedAnswer> {
  const whole = await get(port, host, path === '' ? '/missing.html' : path, {}, agent);
  if (path === '') await writeFile(body, whole.body);
  const recorded = { host, path, status: whole.status, headers: headersOf(whole), body, unchanged: null, br: null };
  const tag = whole.headers['etag'];
  if (typeof tag !== 'string') return recorded;
  const unchanged = await get(port, host, path, { 'If-None-Match': tag }, agent);
  const coded = await get(port, host, path, { 'Accept-Encoding': 'br' }, agent);
  const isCoded = coded.headers['content-encoding'] === 'br';
  if (isCoded) await writeFile(`${body}.br`, coded.body);
  return {
    ...recorded,
    unchanged: headersOf(unchanged),
    br: isCoded ? { headers: headersOf(coded), body: `${body}.br` } : null,
  };
}

/** Records the front pages of many sites. @param folder Contains a folder for each host. */
export function recordPages(port: number, hosts: readonly string[], folder: string): Promise<RecordedAnswer[]> {
  return Promise.all(
    hosts.map(async (host) => {
      const got = await get(port, host, '/', {}, agent);
      const body = join(folder, host, 'index.html');
      return { host, path: '/', status: got.status, headers: headersOf(got), body, unchanged: null, br: null };
    }),
  );
}

function headersOf({ rawHeaders }: Got): Headers {
  const pairs = rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [[name, rawHeaders[i + 1]!] as const] : []));
  return Object.fromEntries(pairs.filter(([name]) => !OWN.has(name.toLowerCase())));
}
