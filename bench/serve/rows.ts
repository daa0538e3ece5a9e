import { Agent } from 'node:http';
import { brotliDecompressSync } from 'node:zlib';
import { type CompleteResponse, get } from './get.ts';
import type { Load } from './wrk.ts';

/** One kind of request. */
export interface Row {
  name: string;
  /** The requested path. */
  path: string;
  headers: Record<string, string>;
  status: number;
  /** The expected body; `null` where every server has its own body. */
  body: Buffer | null;
  /** Whether the request contains the ETag of the server under test. */
  conditional?: true;
  /** Many sites instead of one, each with its own front page. */
  sites?: { hosts: string; draws: string; pages: ReadonlyMap<string, Buffer> };
  /** How long each server is warmed up, in seconds. Default: 1. */
  warmUpSeconds?: number;
  /** The goal, as a fraction of the rate of nginx. */
  besideNginx?: number;
  /** Whether the row has no goal. */
  informative?: true;
}

/** The files and sites that the rows request. */
export interface RowParts {
  files: ReadonlyMap<string, Buffer>;
  sites: NonNullable<Row['sites']>;
}

const RANGE_BYTES = 1024 ** 2;

export function rowsOf({ files, sites }: RowParts): Row[] {
  const page = files.get('index.html')!;
  const script = files.get('app.js')!;
  const requestedBytes = files.get('film.mp4')!.subarray(0, RANGE_BYTES);
  const plainRequest = { headers: {}, status: 200 };
  return [
    { name: 'page of 4 KB', path: '/', ...plainRequest, body: page, besideNginx: 0.75 },
    { name: 'script of 100 KB', path: '/app.js', ...plainRequest, body: script },
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
      body: requestedBytes,
    },
    { name: '404', path: '/missing.html', headers: {}, status: 404, body: null },
    { name: '10,000 sites, Zipf', path: '/', ...plainRequest, body: null, sites, warmUpSeconds: 20 },
  ];
}

/** The load for a row, and the content coding of the checked response. */
export interface Checked {
  load: (offset: number) => Load;
  encoding: string;
}

/** Checks one response of a server, and for many sites one response of each. @throws Error that names the fault. */
export async function check(row: Row, port: number, host: string): Promise<Checked> {
  const headers = { ...row.headers };
  if (row.conditional) {
    const { headers: sent } = await get(port, host, row.path);
    headers['If-None-Match'] = String(sent['etag']);
  }
  const { sites, path } = row;
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const [response] = await Promise.all(
    [...(sites?.pages ?? new Map([[host, row.body]]))].map(async ([host, body]) => {
      const response = await get(port, host, path, headers, agent);
      const fault = faultOf({ ...row, body }, response);
      if (fault !== null) throw new Error(fault);
      return response;
    }),
  ).finally(() => agent.destroy());
  const load = (offset: number): Load => (sites ? { ...sites, offset } : { host, path, headers });
  return { load, encoding: String(response!.headers['content-encoding'] ?? 'identity') };
}

/** Returns what is wrong with a response. Some servers send a compressed form in chunks, without a length. */
function faultOf({ status, body, headers }: Row, response: CompleteResponse): string | null {
  if (response.status !== status) return `status ${response.status}`;
  if (body === null) return null;
  const { 'content-encoding': coding = 'identity', 'content-length': length } = response.headers;
  if (coding !== 'identity' && coding !== headers['Accept-Encoding']) return `coding ${String(coding)}`;
  if (length !== undefined && status !== 304 && Number(length) !== response.body.length)
    return `length ${String(length)}`;
  return (coding === 'br' ? brotliDecompressSync(response.body) : response.body).equals(body) ? null : 'other bytes';
}
