import cluster from 'node:cluster';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RecordedAnswer } from './record.ts';

type Answer = Omit<RecordedAnswer, 'body' | 'br'> & { body: Buffer; br: Answer | null };

/** The upper bound: node:http and a map. It repeats answers that Berth has given. */
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
  const server = createServer((req, res) => respond(req, res, sites.get(req.headers.host!)!));
  server.listen(0, '127.0.0.1', () => {
    if (cluster.isPrimary) process.send!({ port: (server.address() as AddressInfo).port });
  });
}

function respond(req: IncomingMessage, res: ServerResponse, site: ReadonlyMap<string, Answer>): void {
  const { range, 'if-none-match': tag, 'accept-encoding': codings } = req.headers;
  const whole = site.get(req.url!) ?? site.get('')!;
  const answer = whole.br && codings?.includes('br') ? whole.br : whole;
  if (tag !== undefined && answer.unchanged && tag === answer.headers['ETag']) {
    res.writeHead(304, answer.unchanged).end();
    return;
  }
  const part = range === undefined ? null : /^bytes=(\d+)-(\d+)$/.exec(range);
  if (!part) {
    res.writeHead(answer.status, answer.headers).end(answer.body);
    return;
  }
  const bytes = answer.body.subarray(Number(part[1]), Number(part[2]) + 1);
  const place = {
    'Content-Length': bytes.length,
    'Content-Range': `bytes ${part[1]}-${part[2]}/${answer.body.length}`,
  };
  res.writeHead(206, { ...answer.headers, ...place }).end(bytes);
}

async function readSites(): Promise<Map<string, Map<string, Answer>>> {
  const sites = new Map<string, Map<string, Answer>>();
  for (const each of JSON.parse(await readFile(recorded, 'utf8')) as RecordedAnswer[]) {
    const body = await readFile(each.body);
    const br = each.br && { ...each, ...each.br, body: await readFile(each.br.body), br: null };
    const site = sites.get(each.host) ?? new Map<string, Answer>();
    sites.set(each.host, site.set(each.path, { ...each, body, br }));
  }
  return sites;
}
