import { request } from 'node:http';
import { performance } from 'node:perf_hooks';

/** What the probe requests: a page of a site, and `/ping` with a credential of an account that nothing else uses. */
export interface ProbeOrder {
  port: number;
  site: string;
  apiKey: string;
}

/**
 * What visitors experienced meanwhile: milliseconds from the request to the end of the answer, and how many requests
 * failed.
 */
export interface Seen {
  times: number[];
  /** Answers of 500 and above, and connections that failed. */
  failed: number;
}

export interface ProbeReport {
  ping: Seen;
  page: Seen;
}

const EVERY_MS = 20;
const ADDRESS = '127.0.0.2';

/**
 * Requests `/ping` and a page every 20 ms, each on a connection of its own, without waiting for earlier answers. It
 * runs in a separate process, so that only the server makes it wait.
 */
function probe({ port, site, apiKey }: ProbeOrder): void {
  const report: ProbeReport = { ping: { times: [], failed: 0 }, page: { times: [], failed: 0 } };
  const waiting = new Map<symbol, { seen: Seen; since: number }>();

  const sendProbe = (seen: Seen, path: string, headers: Record<string, string>) => {
    const id = Symbol(path);
    const since = performance.now();
    waiting.set(id, { seen, since });
    const done = (isGood: boolean) => {
      if (!waiting.delete(id)) return;
      seen.times.push(performance.now() - since);
      if (!isGood) seen.failed += 1;
    };
    const options = { host: '127.0.0.1', port, path, localAddress: ADDRESS, agent: false, headers };
    request(options, (res) => {
      res.resume().on('end', () => done(res.statusCode! < 500));
      res.on('error', () => done(false));
    })
      .on('error', () => done(false))
      .end();
  };

  setInterval(() => {
    sendProbe(report.ping, '/ping', { Host: `localhost:${port}`, Authorization: `Bearer ${apiKey}` });
    sendProbe(report.page, '/', { Host: site });
  }, EVERY_MS);

  process.on('message', (order: 'start' | 'stop') => {
    if (order === 'start') {
      waiting.clear();
      for (const seen of Object.values(report) as Seen[]) Object.assign(seen, { times: [], failed: 0 });
      return;
    }
    // A request that still waits has waited at least this long.
    for (const { seen, since } of waiting.values()) seen.times.push(performance.now() - since);
    process.send!(report, () => process.exit(0));
  });
  process.send!('ready');
}

probe(JSON.parse(process.argv[2]!) as ProbeOrder);
