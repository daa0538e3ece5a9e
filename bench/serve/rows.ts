import { Agent } from 'node:http';
import { brotliDecompressSync } from 'node:zlib';
import { get, type Got } from './get.ts';
import type { Load } from './wrk.ts';

/** One kind of request. */
export interface Row {
  name: string;
  /** The requested path; for many sites, the front page of each. */
  path: string;
  headers: Record<string, string>;
  status: number;
  /** The expected body; `null` where every server has its own body. */
  body: Buffer | null;
  /** Whether the request contains the ETag of the server under test. */
  conditional?: true;
  /** Many sites in place of one, each with its own front page. */
  sites?: { hosts: string; draws: string; pages: ReadonlyMap<string, Buffer> };
  /** How long each server is warmed up before it is measured. Default: 1. */
  warmUpSeconds?: number;
  /** The goal as a fraction of nginx's rate. */
  besideNginx?: number;
  /** True for a row without a goal. */
  informative?: true;
}

/** Where the files of the rows are. */
export interface RowParts {
  files: ReadonlyMap<string, Buffer>;
  sites: NonNullable<Row['sites']>;
}

const RANGE_BYTES = 1024 ** 2;

export function rowsOf({ files, sites }: RowParts): Row[] {
  const page = files.get('index.html')!;
  const script = files.get('app.js')!;
  const part = files.get('film.mp4')!.subarray(0, RANGE_BYTES);
  const plain = { headers: {}, status: 200 };
  return [
    { name: 'page of 4 KB', path: '/', ...plain, body: page, besideNginx: 0.75 },
    { name: 'script of 100 KB', path: '/app.js', ...plain, body: script },
    {
      name: 'script of 100 KB, br',
      path: '/app.js',
      headers: { 'Accept-Encoding': 'br' },
      status: 200,
      body: script,
      informative: true,
    },
    { name: '304', path: '/', headers: {}, status: 304, body: Buffer.alloc(0), conditional: true },
    {
      name: 'range of 1 MiB',
      path: '/film.mp4',
      headers: { Range: `bytes=0-${RANGE_BYTES - 1}` },
      status: 206,
      body: part,
    },
    { name: '404', path: '/missing.html', headers: {}, status: 404, body: null },
    { name: '10,000 sites, Zipf', path: '/', ...plain, body: null, sites, warmUpSeconds: 20 },
  ];
}

/** The requests to send to a server for a row, and the content coding of the one answer that was checked. */
export interface Checked {
  load: (offset: number) => Load;
  encoding: string;
}

/** Checks one answer of a server; for many sites, one of each. @throws Error that says what is wrong with it. */
export async function check(row: Row, port: number, host: string): Promise<Checked> {
  const headers = { ...row.headers };
  if (row.conditional) {
    const { headers: sent } = await get(port, host, row.path);
    headers['If-None-Match'] = String(sent['etag']);
  }
  const { sites, path } = row;
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const [got] = await Promise.all(
    [...(sites?.pages ?? new Map([[host, row.body]]))].map(async ([host, body]) => {
      const got = await get(port, host, path, headers, agent);
      const fault = faultOf({ ...row, body }, got);
      if (fault !== null) throw new Error(fault);
      return got;
    }),
  ).finally(() => agent.destroy());
  const load = (offset: number): Load => (sites ? { ...sites, offset } : { host, path, headers });
  return { load, encoding: String(got!.headers['content-encoding'] ?? 'identity') };
}

/** Some servers send a compressed form in chunks, without a length. */
function faultOf({ status, body, headers }: Row, got: Got): string | null {
  if (got.status !== status) return `status ${got.status}`;
  if (body === null) return null;
  const { 'content-encoding': coding = 'identity', 'content-length': length } = got.headers;
  if (coding !== 'identity' && coding !== headers['Accept-Encoding']) return `coding ${String(coding)}`;
  if (length !== undefined && status !== 304 && Number(length) !== got.body.length) return `length ${String(length)}`;
  return (coding === 'br' ? brotliDecompressSync(got.body) : got.body).equals(body) ? null : 'other bytes';
}
