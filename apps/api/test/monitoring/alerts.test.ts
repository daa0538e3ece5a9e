import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CreatedDeployment } from '@berth/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../crash/world.ts';
import { createDatabaseProxy, type DatabaseProxy } from '../outages/database-proxy.ts';
import { ADMIN_TOKEN, type MonitoredServer, startMonitored } from './monitored-server.ts';
import { canMonitor, MONITORING, type Prometheus, promtool, type Rule, RULES, startPrometheus } from './prometheus.ts';

/** Alerts whose range and waiting time are shorter must fire in the test. */
const LONG_WINDOW_S = 300;
const UNIT_S = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
/** More than can be hashed and queued by both workers. */
const PASSWORD_ATTEMPTS = 150;

if (!canMonitor) process.stderr.write('Prometheus is not installed: the tests of deploy/monitoring are skipped.\n');

describe.skipIf(!canMonitor)('deploy/monitoring', () => {
  let world: World;
  let proxy: DatabaseProxy;
  let server: MonitoredServer;
  let prometheus: Prometheus;
  let folder: string;
  let rules: Rule[];
  beforeAll(async () => {
    world = await createWorld();
    proxy = await createDatabaseProxy(world.database);
    server = await startMonitored(world, { DATABASE_URL: proxy.url });
    folder = await mkdtemp(join(tmpdir(), 'berth-prometheus-'));
    prometheus = await startPrometheus(folder, { port: server.adminPort, token: ADMIN_TOKEN });
    rules = await prometheus.rules();
  });
  afterAll(async () => {
    await prometheus?.stop();
    await world?.drop();
    await proxy?.close();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  it('has rules that promtool accepts, and tests of them that pass', () => {
    expect(promtool(['check', 'rules', RULES])).toMatchObject({ code: 0 });
    expect(promtool(['test', 'rules', 'alerts.test.yml'])).toMatchObject({ code: 0 });
  });

  it('has a test for each alert in which it fires, and one in which it does not', async () => {
    const tests = await readFile(join(MONITORING, 'alerts.test.yml'), 'utf8');
    const cases = (kind: string) =>
      [...tests.matchAll(/alertname: (\w+)\n +eval_time: \w+\n +exp_alerts:(.*)/g)]
        .filter(([, , expected]) => (expected === ' []') === (kind === 'silent'))
        .map(([, name]) => name)
        .toSorted();
    const alerts = rules.flatMap(({ type, name }) => (type === 'alerting' ? [name] : [])).toSorted();
    expect(alerts.length).toBeGreaterThan(15);
    expect(cases('firing')).toEqual(alerts);
    expect(cases('silent')).toEqual(alerts);
  });

  it('is based on metrics whose names and types promtool accepts', async () => {
    expect(promtool(['check', 'metrics'], await server.metrics())).toEqual({ code: 0, output: '' });
  });

  it('gets data for every expression of the dashboard and the rules while the server has load', async () => {
    const dashboard = await readFile(join(MONITORING, 'grafana/berth.json'), 'utf8');
    const panels = (JSON.parse(dashboard) as { panels: { targets?: { expr: string }[] }[] }).panels;
    const expressions = [
      ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => withoutVariables(expr))),
      ...rules.flatMap(({ type, query }) => (type === 'recording' ? [query] : leftSides(query))),
    ];
    expect(expressions.length).toBeGreaterThan(80);
    const site = await server.publish({ 'index.html': 'Hello' }, { fields: { password: 'correct' } });
    const missing = async () => {
      await load(server, site);
      const found = await Promise.all(expressions.map((expression) => prometheus.query(expression)));
      return expressions.filter((_, index) => !found[index]!.some(({ value }) => Number.isFinite(value)));
    };
    await expect.poll(missing, { timeout: 60_000, interval: 500 }).toEqual([]);
  });

  it('fires every alert whose window is short when its cause happens', async () => {
    const shortAlerts = rules.filter((rule) => rule.type === 'alerting' && windowSeconds(rule) < LONG_WINDOW_S);
    expect(shortAlerts.map(({ name }) => name).toSorted()).toEqual([
      'BerthDatabaseUnavailable',
      'BerthDown',
      'BerthNotReady',
      'BerthPasswordQueueFull',
      'BerthWorkerSilent',
    ]);
    // BerthDown is about the target where nothing listens.
    const site = await server.publish({ 'index.html': 'Hello' }, { fields: { password: 'correct' } });
    await Promise.all(Array.from({ length: PASSWORD_ATTEMPTS }, () => unlock(server, site)));
    await fired(['BerthPasswordQueueFull']);
    const [worker] = server.workers();
    process.kill(worker!, 'SIGSTOP');
    await proxy.refuse();
    await fired(shortAlerts.map(({ name }) => name));
    process.kill(worker!, 'SIGCONT');
    await proxy.restore();
    await expect.poll(async () => (await server.series()).get('berth_ready')).toBe(1);
  });

  const fired = (names: readonly string[]) =>
    expect
      .poll(
        async () => {
          const alerts = await prometheus.query('max_over_time(ALERTS{alertstate="firing"}[5m])');
          const firing = new Set(alerts.map(({ metric }) => metric['alertname']));
          return names.filter((name) => !firing.has(name));
        },
        { timeout: 60_000, interval: 500 },
      )
      .toEqual([]);
});

/** Sends what makes every metric of the dashboard move: visits, deploys and passwords, with success and without. */
async function load(server: MonitoredServer, site: CreatedDeployment): Promise<void> {
  const { deployment } = await server.publish({ 'index.html': `Hello ${Math.random()}`, 'a.txt': 'a'.repeat(5_000) });
  await Promise.all([
    server.deploy({ '../a': 'refused' }),
    server.visit(deployment),
    server.visit(deployment, '/missing'),
    server.visit(deployment),
    server.api('/account'),
    server.api('/ping', { key: null }),
    unlock(server, site),
  ]);
  await server.api(`/deployments/${deployment}`, { method: 'DELETE' });
}

function unlock(server: MonitoredServer, { deployment }: CreatedDeployment) {
  return server.visit(deployment, '/.berth/unlock', {
    method: 'POST',
    body: 'password=a-wrong-password',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
}

/** Replaces the variables of Grafana by what they stand for. The range covers some scrapes of the test. */
function withoutVariables(expression: string): string {
  return expression.replaceAll('$instance', '.+').replaceAll('$__rate_interval', '30s');
}

/**
 * Returns what an alert compares. An alert that does not fire returns no data, whether its metrics exist or not; without the
 * comparisons with numbers, its expression returns data exactly if they do.
 */
function leftSides(query: string): string[] {
  return query.split(' and ').map((condition) => {
    const [whole, left] = /^(.*?)\s*(?:[<>]=?|[=!]=)\s*[\d.]+$/s.exec(condition.trim()) ?? [];
    expect(whole, `${query} must compare with a number`).toBeDefined();
    return left!;
  });
}

/** Returns the longest range or waiting time of an alert. */
function windowSeconds({ query, duration = 0 }: Rule): number {
  const ranges = [...query.matchAll(/\[(\d+)([a-z])\]/g)].map(
    ([, count, unit]) => Number(count) * UNIT_S[unit as keyof typeof UNIT_S],
  );
  // The recorded ratios have their range in their name.
  const recorded = [...query.matchAll(/rate(\d+)([a-z])/g)].map(
    ([, count, unit]) => Number(count) * UNIT_S[unit as keyof typeof UNIT_S],
  );
  return Math.max(duration, ...ranges, ...recorded);
}
