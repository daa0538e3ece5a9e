import { type ChildProcess, execFile, fork } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { API_KEY, type BenchServer, startBerth } from '../processes.ts';
import type { LoadParameters, Statuses } from './load.ts';
import type { ProbeTargets, ProbeReport } from './probe.ts';
import { createClient, type World } from './world.ts';

/** The effect of one hostile input on one server. */
export interface Outcome {
  statuses: Statuses;
  probe: ProbeReport;
  /** The increase of the server's resident memory, in bytes. */
  growth: number;
  /** Whether the server exited. */
  ended: boolean;
}

const SETTLE_MS = 500;
const SAMPLE_MS = 100;
const WARM_UP_ROUNDS = 20;
const WARM_UP_AT_ONCE = 20;
const WARM_UP_DEPLOYS = 20;
const LARGE_BYTES = 2 * 1024 ** 2;
/** The address of the set-up, which has its own rate limits because neither the attack nor the probe uses it. */
const SET_UP_ADDRESS = '127.0.1.1';
const PAGE = `<!doctype html><title>A page</title>${'<p>It floats.</p>'.repeat(200)}`;

/** Starts a server with the default limits, sends one hostile input, and stops the server. */
export async function run(tree: string, order: Omit<LoadParameters, 'world'>): Promise<Outcome> {
  const berth = await startBerth({ RATE_LIMITS: '', LOG_LEVEL: 'fatal' }, { tree });
  const children: ChildProcess[] = [];
  const start = async (program: string, argument: object) => {
    const child = fork(join(import.meta.dirname, program), [JSON.stringify(argument)]);
    children.push(child);
    await firstMessage(child);
    return child;
  };
  try {
    const world = await setUp(berth);
    const { port, site } = world;
    const apiKey = await makeAccount(tree, berth.dataDir, 'probe@bench.example');
    const probe = await start('probe.ts', { port, site, apiKey } satisfies ProbeTargets);
    const load = await start('load.ts', { ...order, world } satisfies LoadParameters);
    await sleep(SETTLE_MS);
    const memory = await watchMemory(berth);
    probe.send('start');
    load.send('go');
    const statuses = await firstMessage<Statuses>(load);
    probe.send('stop');
    const report = await firstMessage<ProbeReport>(probe);
    return { statuses, probe: report, growth: await memory.stop(), ended: berth.hasEnded() };
  } finally {
    for (const child of children) child.kill();
    await berth.stop();
  }
}

/** Waits for the first message of a process. @throws when the process exits earlier. */
async function firstMessage<T>(child: ChildProcess): Promise<T> {
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`${child.spawnargs.at(1)} ended with ${code}`);
  });
  const [message] = (await Promise.race([once(child, 'message'), exited])) as [T];
  return message;
}

/** Publishes the sites, creates the token, and uses every part of the server once. */
async function setUp({ port }: BenchServer): Promise<World> {
  const client = createClient(port, SET_UP_ADDRESS);
  const deploy = async (fields: Record<string, string>, page = PAGE) => {
    const form = new FormData();
    form.append('files[]', new Blob([page]), 'index.html');
    form.append('checksums', JSON.stringify([hash('md5', page)]));
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    const res = new Response(form);
    const headers = { 'Content-Type': res.headers.get('content-type')! };
    const body = Buffer.from(await res.arrayBuffer());
    const { status, text } = await client.send({ path: '/deployments', key: API_KEY, headers, body });
    if (status !== 201) throw new Error(`Deploying returned ${status}: ${text}`);
    return new URL((JSON.parse(text) as { url: string }).url).host;
  };
  const token = await client.send({ path: '/tokens', key: API_KEY, body: '{"kind":"deploy","ttl":3600}' });
  const { secret } = JSON.parse(token.text) as { secret: string };
  const [site, lockedSite] = [await deploy({}), await deploy({ password: 'correct-horse' })];
  // The first content of this size starts the thread that hashes uploads, whose memory is not freed.
  await deploy({}, PAGE.padEnd(LARGE_BYTES));
  for (let n = 0; n < WARM_UP_DEPLOYS; n += 1) {
    await deploy({});
    await client.send({ path: '/uploads', key: secret, body: '{"files":[{}]}' });
  }
  for (let n = 0; n < WARM_UP_ROUNDS; n += 1) {
    const requests = Array.from({ length: WARM_UP_AT_ONCE }, () => [{ path: '/ping' }, { path: '/', host: site }]);
    await Promise.all(requests.flat().map(client.send));
  }
  client.close();
  return { port, apiKey: API_KEY, deployToken: secret, site, lockedSite };
}

/** Creates an account on the smallest plan with an operator command. @returns The API key of the account. */
async function makeAccount(tree: string, dataDir: string, email: string): Promise<string> {
  const runOperator = async (...words: string[]) => {
    const program = join(tree, 'apps/api/src/operator/main.ts');
    const env = { ...process.env, DATA_DIR: dataDir };
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...words, '--json'], { cwd: tree, env });
    return JSON.parse(stdout) as { key: string };
  };
  await runOperator('accounts', 'create', email, '--plan', 'free');
  return (await runOperator('keys', 'create', email)).key;
}

/** Records the peak of the resident memory of the server from now on. Linux keeps the peak. */
async function watchMemory({ pid }: BenchServer): Promise<{ stop(): Promise<number> }> {
  const read = async (name: 'VmRSS' | 'VmHWM') =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  const RESET_PEAK = '5';
  await writeFile(`/proc/${pid}/clear_refs`, RESET_PEAK);
  const bytesBefore = await read('VmRSS');
  let peakBytes = bytesBefore;
  // The numbers of a server are lost when it exits, so they are polled.
  const samplePeak = async () => (peakBytes = Math.max(peakBytes, await read('VmHWM').catch(() => 0)));
  const timer = setInterval(() => void samplePeak(), SAMPLE_MS);
  return {
    async stop() {
      clearInterval(timer);
      await samplePeak();
      return peakBytes - bytesBefore;
    },
  };
}
