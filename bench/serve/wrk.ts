import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The requests to send: one request repeatedly, or requests to many sites in an order. */
export type Load =
  | { host: string; path: string; headers: Record<string, string> }
  | { hosts: string; draws: string; offset: number };

/** The result of a run. */
export interface Rate {
  requests: number;
  perSecond: number;
  /** Number of responses with a status of 400 and above. */
  refused: number;
  /** Number of failed connections and of requests without a response. */
  lost: number;
}

export const CONNECTIONS = 64;
/** On two cores, one thread gave no server a higher rate, and fast servers a lower rate. */
export const THREADS = 2;

const SITES = join(import.meta.dirname, 'sites.lua');

export function hasWrk(): boolean {
  return spawnSync('wrk', ['--version']).error === undefined;
}

/** Sends requests to a server on this machine as fast as it responds, for a whole number of seconds. */
export async function wrk(port: number, seconds: number, load: Load, threads = THREADS): Promise<Rate> {
  const url = `http://127.0.0.1:${port}${'path' in load ? load.path : '/'}`;
  const options = [`-t${threads}`, `-c${CONNECTIONS}`, `-d${seconds}s`, '--timeout', '10s'];
  const loadOptions =
    'path' in load
      ? [
          ...Object.entries({ ...load.headers, Host: load.host }).flatMap(([name, value]) => [
            '-H',
            `${name}: ${value}`,
          ]),
          url,
        ]
      : ['-s', SITES, url, load.hosts, load.draws, String(load.offset)];
  const { stdout } = await promisify(execFile)('wrk', [...options, ...loadOptions]);
  const number = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1] ?? 0);
  const [, ...lost] = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(stdout) ?? [];
  return {
    requests: number(/(\d+) requests in/),
    perSecond: number(/Requests\/sec:\s+([\d.]+)/),
    refused: number(/Non-2xx or 3xx responses: (\d+)/),
    lost: lost.reduce((sum, each) => sum + Number(each), 0),
  };
}
