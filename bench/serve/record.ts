import { writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { type Got, get } from './get.ts';

/** Headers of one answer. */
type Headers = Record<string, string>;

/** What Berth answered, so that a bare server can answer the same. */
export interface RecordedAnswer {
  host: string;
  /** Empty for the answer to every path that is not recorded. */
  path: string;
  status: number;
  headers: Headers;
  /** The file that holds the body. */
  body: string;
  /** The headers of its 304; `null` when that was not asked for. */
  unchanged: Headers | null;
  /** The answer to who takes brotli; `null` when it is no other. */
  br: { headers: Headers; body: string } | null;
}

/** What node:http sends by itself, and what is another for each request. */
const OWN = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding', 'x-request-id']);

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/**
 * Records what Berth answers to one path, in every way the rows ask for it.
 *
 * @param body A file that holds the content, or that is to hold it when there is none: a page of Berth's own.
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

/** Records the front pages of many sites. @param folder Holds a folder for each host. */
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
