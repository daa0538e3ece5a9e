import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { freePorts } from './free-ports.ts';

const run = promisify(execFile);
const PROGRAMS = ['/usr/bin/radosgw', '/usr/bin/ceph-mon', '/usr/bin/ceph-osd', '/usr/bin/ceph'];
const KEYS = { accessKeyId: 'test-key', secretAccessKey: 'test-secret' };
const BUCKET = 'berth-test';
/** The size of the store, which is in memory. */
const STORE_BYTES = 3 * 1024 ** 3;

/** Whether the machine has the object store of Ceph. In CI it must have it. */
export const hasRadosgw = PROGRAMS.every((program) => existsSync(program)) || process.env['CI'] !== undefined;

/** The object store of Ceph with an empty bucket. */
export interface Radosgw {
  /** The value of `STORAGE_URL`. */
  url: string;
  keys: { accessKeyId: string; secretAccessKey: string };
  /** The environment variables with the keys. */
  env: Record<string, string>;
  stop(): Promise<void>;
}

/** Starts a cluster of one monitor, one store in memory, and the gateway for S3. */
export async function startRadosgw(): Promise<Radosgw> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-rgw-'));
  const [first = 0, second = 0, port = 0] = await freePorts(3);
  const children: ChildProcess[] = [];
  const stop = async () => {
    for (const child of children.toReversed())
      if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
    await rm(folder, { recursive: true, force: true });
  };
  const call = (program: string, ...words: string[]) => run(program, [...words, '-c', join(folder, 'ceph.conf')]);
  const launch = (program: string, ...words: string[]) =>
    void children.push(spawn(program, ['-f', ...words, '-c', join(folder, 'ceph.conf')], { stdio: 'ignore' }));
  try {
    const monitors = `[v2:127.0.0.1:${first},v1:127.0.0.1:${second}]`;
    const cluster = await writeSettings(folder, monitors);
    await makeKeys(join(folder, 'keyring'));
    const map = join(folder, 'monmap');
    await run('monmaptool', ['--create', '--addv', 'a', monitors, '--fsid', cluster, map]);
    await call('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map, '--keyring', join(folder, 'keyring'));
    launch('ceph-mon', '-i', 'a');
    const store = randomUUID();
    await call('ceph', 'osd', 'new', store, '0');
    await call('ceph-osd', '--mkfs', '-i', '0', '--osd-uuid', store);
    launch('ceph-osd', '-i', '0');
    await call('ceph', 'osd', 'crush', 'add', 'osd.0', '1', 'root=default', 'host=here');
    const user = [
      '--uid=test',
      '--display-name=test',
      `--access-key=${KEYS.accessKeyId}`,
      `--secret-key=${KEYS.secretAccessKey}`,
    ];
    await call('radosgw-admin', '-n', 'client.rgw', 'user', 'create', ...user);
    launch('radosgw', '-n', 'client.rgw', '--rgw-frontends', `beast endpoint=127.0.0.1:${port}`);
    const endpoint = `http://127.0.0.1:${port}`;
    await createBucket(endpoint, () => children.every(({ exitCode }) => exitCode === null));
    return {
      url: `s3://${BUCKET}/sites?endpoint=${endpoint}&path-style=1`,
      keys: KEYS,
      env: { AWS_ACCESS_KEY_ID: KEYS.accessKeyId, AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey },
      stop,
    };
  } catch (error) {
    const log = await readFile(join(folder, 'client.rgw.log'), 'utf8').catch(() => '');
    await stop();
    throw new Error(`The object store of Ceph does not start. ${log.slice(-1_000)}`, { cause: error });
  }
}

/** @returns The id of the cluster. */
async function writeSettings(folder: string, monitors: string): Promise<string> {
  for (const name of ['mon', 'osd', 'run']) await mkdir(join(folder, name));
  const cluster = randomUUID();
  const settings = {
    fsid: cluster,
    'mon host': monitors,
    'mon initial members': 'a',
    keyring: join(folder, 'keyring'),
    'run dir': join(folder, 'run'),
    'admin socket': join(folder, 'run', '$name.asok'),
    'log file': join(folder, '$name.log'),
    'mon data': join(folder, 'mon'),
    'osd data': join(folder, 'osd'),
    'public addr': '127.0.0.1',
    'cluster addr': '127.0.0.1',
    'osd objectstore': 'memstore',
    'memstore device bytes': STORE_BYTES,
    'osd pool default size': 1,
    'osd pool default min size': 1,
    'osd pool default pg num': 4,
    'osd crush chooseleaf type': 0,
    'mon allow pool size one': true,
    'mon max pg per osd': 1000,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  await writeFile(join(folder, 'ceph.conf'), `[global]\n${lines.join('\n')}\n`);
  return cluster;
}

async function makeKeys(file: string): Promise<void> {
  const all = ['mon', 'allow *'];
  const store = ['osd', 'allow *'];
  const names: Record<string, string[][]> = {
    'mon.': [all],
    'client.admin': [all, store],
    'osd.0': [['mon', 'allow profile osd'], store],
    'client.rgw': [all, store],
  };
  for (const [i, [name, capabilities]] of Object.entries(names).entries()) {
    const create = i === 0 ? ['--create-keyring'] : [];
    await run('ceph-authtool', [
      ...create,
      file,
      '--gen-key',
      '-n',
      name,
      ...capabilities.flatMap((pair) => ['--cap', ...pair]),
    ]);
  }
}

/** Creates the bucket as soon as the gateway accepts requests. */
async function createBucket(endpoint: string, isRunning: () => boolean): Promise<void> {
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: KEYS,
    maxAttempts: 1,
  });
  for (;;) {
    try {
      await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
      return client.destroy();
    } catch (error) {
      if (!isRunning()) throw error;
      await new Promise((resolve) => void setTimeout(resolve, 100));
    }
  }
}
