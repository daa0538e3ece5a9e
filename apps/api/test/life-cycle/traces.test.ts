import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { CreatedDeployment } from '@berth/contract';
import { OWNER_KEY } from '@berth/testing/requests';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../crash/world.ts';
import { type CollectedSpan, startCollector } from './collector.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER_SPAN = '00f067aa0ba902b7';
const SERVER = 2;
const CLIENT = 3;
const LIST_MODULES = `--import=${join(import.meta.dirname, 'list-modules.ts')}`;

let world: World;
beforeAll(async () => {
  world = await createWorld({ LOG_LEVEL: 'info' });
});
afterAll(() => world.drop());

/** Stops a server, which sends its remaining spans. */
async function stop(server: Awaited<ReturnType<World['start']>>): Promise<void> {
  server.child.kill('SIGTERM');
  expect(await server.exited).toBe(0);
}

const childrenOf = (spans: readonly CollectedSpan[], parent: CollectedSpan) =>
  spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId);

describe('without OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  it.each(['1', '2'])(
    'no module of OpenTelemetry is loaded, and without STORAGE_URL none of AWS, with WORKERS=%s',
    async (workers) => {
      const server = await world.start({ WORKERS: workers, NODE_OPTIONS: LIST_MODULES });
      expect((await server.deploy({ 'index.html': 'x' })).status).toBe(201);
      await stop(server);
      const reports = server.output().match(/^loaded: .*$/gm);
      expect(new Set(reports)).toEqual(new Set(['loaded: []']));
    },
  );

  it('a disabled SDK is not loaded', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: 'true' };
    const server = await world.start({ ...env, NODE_OPTIONS: LIST_MODULES });
    await stop(server);
    expect(server.output()).toContain('loaded: []');
  });
});

describe.each(['1', '2'])('with OTEL_EXPORTER_OTLP_ENDPOINT and WORKERS=%s', (workers) => {
  let spans: CollectedSpan[];
  let deployment: string;
  let output: string;
  const claimSecret: string[] = [];

  beforeAll(async () => {
    const collector = await startCollector();
    const server = await world.start({
      WORKERS: workers,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_SERVICE_NAME: 'berth-test',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      NODE_OPTIONS: LIST_MODULES,
    });
    const traceparent = `00-${TRACE_ID}-${CALLER_SPAN}-01`;
    const deployed = await server.deploy({ 'index.html': `page ${workers}` }, { headers: { traceparent } });
    ({ deployment } = deployed.json<CreatedDeployment>());
    const anonymous = await server.deploy({ 'index.html': 'anonymous' }, { key: null });
    claimSecret.push(anonymous.json<CreatedDeployment>().claim!.split('/').at(-1)!);
    await server.api(`/claim/${claimSecret[0]}`, { key: null });
    await server.api(`/deployments/${deployment}?key=${OWNER_KEY}`);
    await server.api('/trpc/plans.list,platform.ping?batch=1');
    await server.api('/account');
    await server.api('/no/such/path');
    await server.visit(deployment);
    await stop(server);
    output = server.output();
    await collector.close();
    ({ spans } = collector);
  });

  const named = (name: string) => spans.filter((span) => span.name === name);

  it('a deploy is one trace with its phases and statements, below the span of the caller', () => {
    const [request, ...others] = named('POST /deployments').filter(({ traceId }) => traceId === TRACE_ID);
    expect(others).toEqual([]);
    expect(request).toMatchObject({ parentSpanId: CALLER_SPAN, kind: SERVER, isFailed: false });
    expect(request!.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/deployments',
      'http.response.status_code': 201,
      'network.protocol.version': '1.1',
      'berth.request_id': expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    const phases = childrenOf(spans, request!).map(({ name }) => name);
    expect(phases).toEqual(expect.arrayContaining(['receive body', 'seal pack', 'transaction']));
    const transaction = childrenOf(spans, request!).find(({ name }) => name === 'transaction')!;
    const statements = childrenOf(spans, transaction);
    expect(statements.map(({ name }) => name)).toEqual(expect.arrayContaining(['BEGIN', 'INSERT', 'COMMIT']));
    for (const { kind, attributes, traceId } of statements) {
      expect({ kind, traceId }).toEqual({ kind: CLIENT, traceId: TRACE_ID });
      expect(attributes['db.system.name']).toBe('postgresql');
    }
  });

  it('requests are named by their routes, and calls by their procedures', () => {
    expect(named('GET /deployments/{deployment}')[0]).toMatchObject({ parentSpanId: '', kind: SERVER });
    expect(named('GET /account')).toHaveLength(1);
    const [batch] = named('GET /trpc/{procedures}');
    const calls = childrenOf(spans, batch!).map(({ name }) => name);
    expect(calls).toEqual(expect.arrayContaining(['plans.list', 'platform.ping']));
    // Two workers send their spans in any order.
    const statuses = named('GET').map(({ attributes }) => attributes['http.response.status_code']);
    expect(statuses.toSorted()).toEqual([200, 404]);
  });

  it('jobs are traces of their own', () => {
    const [job] = named('job sweep');
    expect(job).toMatchObject({ parentSpanId: '', attributes: { 'berth.job': 'sweep' } });
    expect(spans.filter(({ traceId }) => traceId === job!.traceId).length).toBeGreaterThan(1);
  });

  it('the resource has the standard variables', () => {
    for (const { resource } of spans)
      expect(resource).toMatchObject({
        'service.name': 'berth-test',
        'service.version': expect.any(String),
        'deployment.environment.name': 'test',
      });
  });

  it('visits of sites are not traced', () => {
    expect(spans.filter(({ attributes }) => attributes['http.route'] === '/')).toEqual([]);
    const requests = spans.filter(({ kind }) => kind === SERVER);
    expect(requests).toHaveLength(7);
  });

  it('T20, T24: no span contains a secret, a path or a file name', () => {
    const text = JSON.stringify(spans);
    for (const secret of [OWNER_KEY, ...claimSecret, hash('sha256', OWNER_KEY), deployment, '/no/such/path'])
      expect(text).not.toContain(secret);
  });

  it('log lines of traced requests have the id of the trace', () => {
    const line = output.split('\n').find((text) => text.includes('"path":"/deployments"') && text.includes(TRACE_ID));
    expect(JSON.parse(line!)).toMatchObject({ traceId: TRACE_ID, method: 'POST', status: 201 });
  });
});

describe('a collector that cannot be reached', () => {
  it('is logged once, does not disturb requests, and does not delay the end', async () => {
    const collector = await startCollector();
    await collector.close();
    const server = await world.start({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_TIMEOUT: '200',
      OTEL_BSP_SCHEDULE_DELAY: '20',
    });
    for (let count = 0; count < 20; count += 1) expect((await server.api('/account')).status).toBe(200);
    await server.printed('Traces cannot be sent');
    const returned = await startCollector(collector.port);
    await server.api('/account');
    await server.printed('Traces are sent again');
    await stop(server);
    await returned.close();
    expect(server.stdout().match(/Traces cannot be sent/g)).toHaveLength(1);
    expect(returned.spans.length).toBeGreaterThan(0);
  });
});
