import cluster from 'node:cluster';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RecordedResponse } from './record.ts';

type LoadedResponse = Omit<RecordedResponse, 'body' | 'br'> & { body: Buffer; br: LoadedResponse | null };

/** The upper bound: node:http and a map repeat the responses that Berth has sent. */
const [recorded = '', processes = '1'] = process.argv.slice(2);
if (cluster.isPrimary && Number(processes) > 1) {
  let listening = 0;
  cluster.on('listening', (_worker, { port }) => {
    listening += 1;
    if (listening === Number(processes)) process.send!({ port });
  });
  for (let i = 0; i < Number(processes); i += 1) cluster.fork();
} else {
  const sites = await readSites();
  const server = createServer((req, res) => sendResponse(req, res, sites.get(req.headers.host!)!));
  server.listen(0, '127.0.0.1', () => {
    if (cluster.isPrimary) process.send!({ port: (server.address() as AddressInfo).port });
  });
}

function sendResponse(req: IncomingMessage, res: ServerResponse, site: ReadonlyMap<string, LoadedResponse>): void {
  const { range, 'if-none-match': tag, 'accept-encoding': codings } = req.headers;
  const fullResponse = site.get(req.url!) ?? site.get('')!;
  const response = fullResponse.br && codings?.includes('br') ? fullResponse.br : fullResponse;
  if (tag !== undefined && response.unchanged && tag === response.headers['ETag']) {
    res.writeHead(304, response.unchanged).end();
    return;
  }
  const rangeMatch = range === undefined ? null : /^bytes=(\d+)-(\d+)$/.exec(range);
  if (!rangeMatch) {
    res.writeHead(response.status, response.headers).end(response.body);
    return;
  }
  const bytes = response.body.subarray(Number(rangeMatch[1]), Number(rangeMatch[2]) + 1);
  const rangeHeaders = {
    'Content-Length': bytes.length,
    'Content-Range': `bytes ${rangeMatch[1]}-${rangeMatch[2]}/${response.body.length}`,
  };
  res.writeHead(206, { ...response.headers, ...rangeHeaders }).end(bytes);
}

async function readSites(): Promise<Map<string, Map<string, LoadedResponse>>> {
  const sites = new Map<string, Map<string, LoadedResponse>>();
  for (const recordedResponse of JSON.parse(await readFile(recorded, 'utf8')) as RecordedResponse[]) {
    const body = await readFile(recordedResponse.body);
    const br = recordedResponse.br && {
      ...recordedResponse,
      ...recordedResponse.br,
      body: await readFile(recordedResponse.br.body),
      br: null,
    };
    const site = sites.get(recordedResponse.host) ?? new Map<string, LoadedResponse>();
    sites.set(recordedResponse.host, site.set(recordedResponse.path, { ...recordedResponse, body, br }));
  }
  return sites;
}
