import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServerProcess } from '@berth/testing/process';
import { describe, expect, it } from 'vitest';
import { STEP, type Step } from './steps.ts';
import { createWorld, type World } from './world.ts';

const canTrace = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0;

/** Only packs of the deploy are written. */
const ALONE = { COMPRESSION: 'off' };
const ORDER = ['pack written', 'pack synced', 'folder synced', 'COMMIT sent', 'COMMIT done', '201 sent'] as const;

describe('a deploy becomes durable before it becomes visible', () => {
  it('P2, P7: bytes, their name, the commit, then the 201, in the calls to Node', () => checkOrder(traceCalls));

  it.skipIf(!canTrace)('P2, P7: bytes, their name, the commit, then the 201, in the system calls', () =>
    checkOrder(traceSystemCalls),
  );
});

async function checkOrder(trace: (world: World, work: Work) => Promise<Step[]>): Promise<void> {
  const world = await createWorld();
  try {
    const steps = await trace(world, async (server) => {
      await server.publish({ 'index.html': 'A', 'big.txt': 'b'.repeat(2_500_000) });
    });
    const answered = steps.find(({ name }) => name === '201 sent')!.start;
    // Later commits are not part of this deploy.
    const own = steps.filter(({ name, start }) => start <= answered || !name.startsWith('COMMIT'));
    const last = ORDER.map((name) => {
      const same = own.filter((step) => step.name === name);
      expect(same, name).not.toEqual([]);
      return { name, start: Math.max(...same.map(({ start }) => start)), end: Math.max(...same.map(({ end }) => end)) };
    });
    for (const [i, { name, end }] of last.slice(0, -1).entries())
      expect(end, `${name} before ${last[i + 1]!.name}`).toBeLessThan(last[i + 1]!.start);
  } finally {
    await world.drop();
  }
}

type Work = (server: ServerProcess) => Promise<void>;

/** The steps of `work` as a preloaded module sees them. */
async function traceCalls(world: World, work: Work): Promise<Step[]> {
  const recorder = pathToFileURL(join(import.meta.dirname, 'record-steps.ts')).href;
  const server = await world.start({ ...ALONE, NODE_OPTIONS: `--import=${recorder}` });
  const before = server.output().length;
  await work(server);
  server.child.kill('SIGTERM');
  await server.exited;
  const lines = server
    .output()
    .slice(before)
    .split('\n')
    .filter((line) => line.startsWith(STEP));
  return lines.map((line) => JSON.parse(line.slice(STEP.length)) as Step);
}

/** The steps of `work` as the kernel sees them. */
async function traceSystemCalls(world: World, work: Work): Promise<Step[]> {
  const server = await world.start(ALONE);
  const file = join(world.dataDir, 'trace');
  const strace = spawn('strace', [
    '-f',
    '-y',
    '-e',
    'trace=pwrite64,write,read,fsync,fdatasync',
    '-o',
    file,
    '-p',
    String(server.child.pid),
  ]);
  await once(strace.stderr, 'data');
  await work(server);
  strace.kill('SIGINT');
  await once(strace, 'close');
  server.child.kill('SIGTERM');
  await server.exited;
  return readTrace(await readFile(file, 'utf8'));
}

const CALLS: [Step['name'], RegExp][] = [
  ['pack written', /^pwrite64\(\d+<[^>]*\.pack>/],
  ['pack synced', /^fsync\(\d+<[^>]*\.pack>/],
  ['folder synced', /^fsync\(\d+<[^>]*\/packs\/[0-9a-f]>/],
  ['COMMIT sent', /^write\(\d+<[^>]*>, "Q[^"]*commit\\0"/],
  ['COMMIT done', /^read\(\d+<[^>]*>, "C[^"]*COMMIT\\0/],
  ['201 sent', /^write\(\d+<[^>]*>, "HTTP\/1\.1 201 /],
];

/** Parses the output of strace. A call that is interrupted by others has two lines; the line numbers serve as times. */
function readTrace(text: string): Step[] {
  const steps: Step[] = [];
  const running = new Map<string, Step>();
  for (const [moment, line] of text.split('\n').entries()) {
    const [, thread = '', call = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const resumed = running.get(thread);
    if (resumed) {
      resumed.end = moment;
      running.delete(thread);
      continue;
    }
    const name = CALLS.find(([, pattern]) => pattern.test(call))?.[0];
    if (!name) continue;
    const step = { name, start: moment, end: moment };
    steps.push(step);
    if (call.endsWith('<unfinished ...>')) running.set(thread, step);
  }
  return steps;
}
