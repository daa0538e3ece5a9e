import { request } from 'node:http';
import { performance } from 'node:perf_hooks';

/** What the probe requests: a page of a site, and `/ping` with the key of an account that only the probe uses. */
export interface ProbeTargets {
  port: number;
  site: string;
  apiKey: string;
}

/** The times of requests in milliseconds, and the number of failed requests. */
export interface Latencies {
  times: number[];
  /** Number of responses with a status of 500 and above, and of failed connections. */
  failed: number;
}

export interface ProbeReport {
  ping: Latencies;
  page: Latencies;
}

const PROBE_EVERY_MS = 20;
const ADDRESS = '127.0.0.2';

/**
 * Requests `/ping` and a page every 20 ms, each on a new connection, without waiting for earlier responses. The probe
 * runs in a separate process, so that only the server can delay it.
 */
function runProbe({ port, site, apiKey }: ProbeTargets): void {
  const report: ProbeReport = { ping: { times: [], failed: 0 }, page: { times: [], failed: 0 } };
  const waitingRequests = new Map<symbol, { latencies: Latencies; since: number }>();

  const sendProbe = (latencies: Latencies, path: string, headers: Record<string, string>) => {
    const id = Symbol(path);
    const since = performance.now();
    waitingRequests.set(id, { latencies, since });
    const finishRequest = (isGood: boolean) => {
      if (!waitingRequests.delete(id)) return;
      latencies.times.push(performance.now() - since);
      if (!isGood) latencies.failed += 1;
    };
    const options = { host: '127.0.0.1', port, path, localAddress: ADDRESS, agent: false, headers };
    request(options, (res) => {
      res.resume().on('end', () => finishRequest(res.statusCode! < 500));
      res.on('error', () => finishRequest(false));
    })
      .on('error', () => finishRequest(false))
      .end();
  };

  setInterval(() => {
    sendProbe(report.ping, '/ping', { Host: `localhost:${port}`, Authorization: `Bearer ${apiKey}` });
    sendProbe(report.page, '/', { Host: site });
  }, PROBE_EVERY_MS);

  process.on('message', (order: 'start' | 'stop') => {
    if (order === 'start') {
      waitingRequests.clear();
      for (const latencies of Object.values(report) as Latencies[]) Object.assign(latencies, { times: [], failed: 0 });
      return;
    }
    // A request without a response has waited at least this long.
    for (const { latencies, since } of waitingRequests.values()) latencies.times.push(performance.now() - since);
    process.send!(report, () => process.exit(0));
  });
  process.send!('ready');
}

runProbe(JSON.parse(process.argv[2]!) as ProbeTargets);
