import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Step } from './record-steps.ts';
import { createWorld, type World } from './world.ts';

const ORDER = ['pack written', 'pack synced', 'folder synced', 'COMMIT sent', 'COMMIT done', '201 sent'] as const;

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.drop());

it('P2, P7: a deploy becomes durable before it becomes visible: bytes, their name, the commit, then the 201', async () => {
  const recorder = pathToFileURL(join(import.meta.dirname, 'record-steps.ts')).href;
  // Only packs of the deploy are written.
  const server = await world.start({ COMPRESSION: 'off', NODE_OPTIONS: `--import=${recorder}` });
  const before = server.output().length;
  await server.publish({ 'index.html': 'A', 'big.txt': 'b'.repeat(2_500_000) });
  server.child.kill('SIGTERM');
  await server.exited;
  const lines = server.output().slice(before).split('\n');
  const steps = lines.flatMap((line) => (line.startsWith('step ') ? [JSON.parse(line.slice(5)) as Step] : []));

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
});
