import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@berth/testing/database';
import { freePorts } from '@berth/testing/free-ports';
import { launchProgram, type LaunchedProcess, type ServerProcess, startProcess } from '@berth/testing/process';
import { createTestClient } from '@berth/testing/requests';
import { type S3Stub, startS3Stub } from '@berth/testing/s3-stub';
import { testEnvironment } from '@berth/testing/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../src/config/config.ts';
import { CADDY_FOLDER, hasCaddy } from '../proxy/caddy.ts';
import { ROOT } from './checkout.ts';
import { readCompose, type Service } from './compose-file.ts';

const MONITORING = join(ROOT, 'deploy/monitoring');
const CLUSTER_CONFIG = join(MONITORING, 'cluster/prometheus.yml');
/** What docs/scaling.md says to set in `.env`. */
const SETTINGS = {
  BERTH_NODES: 'several',
  BERTH_UPSTREAM: 'api:4000 api-2:4000',
  STORAGE_URL: 's3://berth?endpoint=http://seaweedfs:8333&path-style=1',
  AWS_ACCESS_KEY_ID: 'berth',
  AWS_SECRET_ACCESS_KEY: 'ab'.repeat(32),
  DRAIN_SECONDS: '5',
};
const { services } = readCompose(SETTINGS);
const inProfile = (profile: string | null) =>
  Object.entries(services)
    .filter(([, { profiles }]) => (profile === null ? !profiles : profiles?.includes(profile)))
    .map(([name]) => name)
    .toSorted();

describe('docker-compose.yml with the profile cluster', () => {
  it('adds a second node, an object store, Caddy, Prometheus and Grafana, and changes nothing without it', () => {
    expect(inProfile(null)).toEqual(['api', 'db']);
    expect(inProfile('proxy')).toEqual(['proxy']);
    expect(inProfile('cluster')).toEqual(['api-2', 'bucket', 'grafana', 'prometheus', 'proxy', 'seaweedfs']);
  });

  it('names a version of each image', () => {
    const images = Object.entries(services).flatMap(([name, { image }]) =>
      ['api', 'api-2', 'proxy'].includes(name) ? [] : [image],
    );
    expect(images.filter((image) => !/:v?\d/.test(image))).toEqual([]);
  });

  it('runs two nodes that differ in their data, their address and the published port alone', () => {
    const differing = ({ volumes, networks, ports, profiles, environment, ...same }: Service) => ({
      same: { ...same, environment: { ...environment, ADMIN_LISTEN: '' } },
      own: { volumes, profiles, ports, address: networks.admin.ipv4_address, admin: environment['ADMIN_LISTEN'] },
    });
    const [first, second] = [differing(services.api), differing(services['api-2'])];
    expect(second.same).toEqual(first.same);
    expect(second.own).toEqual({
      volumes: ['data-2:/data', './config:/config:ro'],
      profiles: ['cluster'],
      ports: [],
      address: '172.29.40.4',
      admin: '172.29.40.4:4001',
    });
  });

  it('starts nodes with the settings of docs/scaling.md, on the object store of the file', async () => {
    const guide = await readFile(join(ROOT, 'docs/scaling.md'), 'utf8');
    const { AWS_SECRET_ACCESS_KEY: secret, ...shown } = SETTINGS;
    for (const [name, value] of Object.entries(shown)) expect(guide).toContain(`${name}=${value}`);
    const { SECRET_KEY_FILE: _key, DATABASE_URL_FILE: _url, ...environment } = services['api-2'].environment;
    const secrets = { DATABASE_URL: 'postgres://berth:password@db/berth', SECRET_KEY: randomBytes(32).toString('hex') };
    expect(readConfig({ ...environment, ...SETTINGS, ...secrets })).toMatchObject({
      drainMs: 5_000,
      objectStore: {
        address: { bucket: 'berth', endpoint: 'http://seaweedfs:8333', pathStyle: true },
        credentials: { accessKeyId: 'berth', secretAccessKey: secret },
      },
    });
    expect(services.seaweedfs.environment).toEqual({
      AWS_ACCESS_KEY_ID: 'berth',
      AWS_SECRET_ACCESS_KEY: secret,
    });
    expect(services.proxy.environment).toMatchObject({ BERTH_NODES: 'several', BERTH_UPSTREAM: 'api:4000 api-2:4000' });
  });

  it('mounts files that exist', () => {
    const files = [...services.prometheus.volumes, ...services.grafana.volumes].filter((path) => path.startsWith('./'));
    expect(files.length).toBeGreaterThan(4);
    for (const file of files) expect(spawnSync('test', ['-e', join(ROOT, file.split(':')[0]!)]).status).toBe(0);
  });

  it('has a data source for the dashboard, and rules that Prometheus finds beside its configuration', async () => {
    const read = async (path: string) => parse(await readFile(join(MONITORING, path), 'utf8')) as Sources;
    const [own, cluster] = [
      await read('grafana/provisioning/datasources/prometheus.yml'),
      await read('cluster/datasource.yml'),
    ];
    expect(cluster.datasources).toEqual([{ ...own.datasources[0], url: 'http://prometheus:9090' }]);
  });
});

interface Sources {
  datasources: { url: string }[];
}

const hasPrometheus = spawnSync('prometheus', ['--version']).error === undefined;

describe.skipIf(!(hasCaddy && hasPrometheus) && process.env['CI'] === undefined)('two nodes of the cluster', () => {
  let folder: string;
  let database: TestDatabase;
  let store: S3Stub;
  let ports: { caddy: number; nodes: [number, number]; admins: [number, number]; prometheus: number };
  const nodes: ServerProcess[] = [];
  const programs: LaunchedProcess[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-cluster-'));
    [database, store] = await Promise.all([createTestDatabase(), startS3Stub()]);
    const [caddy, first, second, firstAdmin, secondAdmin, prometheus] = (await freePorts(6)) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    ports = { caddy, nodes: [first, second], admins: [firstAdmin, secondAdmin], prometheus };
    for (const index of [0, 1] as const) nodes.push(await startNode(index));
    programs.push(...nodes);
    await startBalancer();
    await startScraping();
  });
  afterAll(async () => {
    for (const { child } of programs) child.kill('SIGKILL');
    await Promise.all(programs.map(({ exited }) => exited));
    await store.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const startNode = (index: 0 | 1) =>
    startProcess(
      testEnvironment(database, join(folder, `node-${index}`), {
        ...store.env,
        JOBS: 'off',
        PORT: String(ports.nodes[index]),
        ADMIN_LISTEN: `127.0.0.1:${ports.admins[index]}`,
        BASE_URL: `http://localhost:${ports.caddy}`,
        PLATFORM_DOMAIN: `localhost:${ports.caddy}`,
        SECRET_KEY: 'ab'.repeat(32),
        STORAGE_URL: store.url,
        TRUST_PROXY: '127.0.0.1',
        DRAIN_SECONDS: '3',
      }),
    );

  /** Starts Caddy with the snippets of the cluster, without certificates. */
  async function startBalancer(): Promise<void> {
    const text = await readFile(join(CADDY_FOLDER, 'Caddyfile'), 'utf8');
    const [proxying] = /^\(berth\) \{\n.*?\n\}$/ms.exec(text)!;
    const file = join(folder, 'Caddyfile');
    await writeFile(
      file,
      `{\n\tadmin off\n\tauto_https off\n}\nimport ${CADDY_FOLDER}/nodes/{$BERTH_NODES}.caddy\n${proxying}\nhttp://:${ports.caddy} {\n\timport berth\n}\n`,
    );
    const caddy = launchProgram('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], {
      HOME: folder,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
      BERTH_NODES: SETTINGS.BERTH_NODES,
      BERTH_UPSTREAM: ports.nodes.map((port) => `127.0.0.1:${port}`).join(' '),
    });
    programs.push(caddy);
    await caddy.printed('serving initial configuration');
  }

  /** Starts Prometheus with the configuration of the cluster, at the addresses of the nodes here. */
  async function startScraping(): Promise<void> {
    const text = await readFile(CLUSTER_CONFIG, 'utf8');
    const file = join(folder, 'prometheus.yml');
    const here = text
      .replace("'api:4001'", `'127.0.0.1:${ports.admins[0]}'`)
      .replace("'api-2:4001'", `'127.0.0.1:${ports.admins[1]}'`)
      .replaceAll('15s', '1s')
      .replace('- alerts.yml', `- ${join(MONITORING, 'alerts.yml')}`);
    await writeFile(file, here);
    const prometheus = launchProgram('prometheus', [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'metrics')}`,
      `--web.listen-address=127.0.0.1:${ports.prometheus}`,
    ]);
    programs.push(prometheus);
    await prometheus.printed('Server is ready to receive web requests');
  }

  /** Returns a value for each node that has one. */
  async function query(expression: string): Promise<number[]> {
    const url = `http://127.0.0.1:${ports.prometheus}/api/v1/query?query=${encodeURIComponent(expression)}`;
    const { data } = (await (await fetch(url)).json()) as { data: { result: { value: [number, string] }[] } };
    return data.result.map(({ value: [, value] }) => Number(value));
  }

  it('share the requests that Caddy gets, and Prometheus scrapes both', async () => {
    const client = createTestClient(ports.caddy);
    await expect.poll(async () => (await client.api('/account')).status).toBe(200);
    const { deployment } = await client.publish({ 'index.html': 'balanced' });
    for (let visit = 0; visit < 40; visit += 1) expect((await client.visit(deployment)).text).toBe('balanced');
    await expect.poll(() => query('up{job="berth"}')).toEqual([1, 1]);
    const visits = () => query('sum by (instance) (http_server_requests_total{berth_host_kind="site"})');
    await expect.poll(async () => (await visits()).reduce((sum, count) => sum + count, 0)).toBe(40);
    expect(Math.min(...(await visits()))).toBeGreaterThanOrEqual(10);
  });

  it('serve a site without a failed visit while one of them stops', async () => {
    const client = createTestClient(ports.caddy);
    const { deployment } = await client.publish({ 'index.html': 'still here' });
    const [node] = nodes;
    node!.child.kill('SIGTERM');
    let isRunning = true;
    const stopped = node!.exited.then(() => (isRunning = false));
    while (isRunning) expect((await client.visit(deployment)).text).toBe('still here');
    await stopped;
    expect((await client.visit(deployment)).text).toBe('still here');
  });
});
