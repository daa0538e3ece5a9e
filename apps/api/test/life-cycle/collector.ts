import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A span as OTLP encodes it in JSON. */
export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  kind: number;
  attributes: Record<string, unknown>;
  isFailed: boolean;
  /** The attributes of the process that sent the span. */
  resource: Record<string, unknown>;
}

interface OtlpAttribute {
  key: string;
  value: Record<string, unknown>;
}

interface OtlpBody {
  resourceSpans: {
    resource: { attributes: OtlpAttribute[] };
    scopeSpans: {
      spans: (Omit<CollectedSpan, 'attributes' | 'parentSpanId'> & {
        parentSpanId?: string;
        attributes: OtlpAttribute[];
        status: { code?: number };
      })[];
    }[];
  }[];
}

const toRecord = (attributes: readonly OtlpAttribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** A collector of OpenTelemetry that receives traces as OTLP/HTTP with JSON. */
export async function startCollector(port = 0) {
  const spans: CollectedSpan[] = [];
  const server = createServer(async (req, res) => {
    const body = await text(req);
    const isTraces = req.method === 'POST' && req.url === '/v1/traces';
    if (!isTraces || req.headers['content-type'] !== 'application/json') return void res.writeHead(400).end();
    for (const { resource, scopeSpans } of (JSON.parse(body) as OtlpBody).resourceSpans)
      for (const { spans: sent } of scopeSpans)
        for (const { status, attributes, parentSpanId = '', ...span } of sent)
          spans.push({
            ...span,
            parentSpanId,
            attributes: toRecord(attributes),
            isFailed: status.code === 2,
            resource: toRecord(resource.attributes),
          });
    res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const { port: listeningPort } = server.address() as AddressInfo;
  return {
    spans,
    port: listeningPort,
    url: `http://127.0.0.1:${listeningPort}`,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
