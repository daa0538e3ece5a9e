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

it('P2, P7: a deploy makes its bytes and their names durable, then commits, and only then sends the 201', async () => {
  const recorder = pathToFileURL(join(import.meta.dirname, 'record-steps.ts')).href;
  // Without background compression, the deploy is the only writer of packs.
  const server = await world.start({ COMPRESSION: 'off', NODE_OPTIONS: `--import=${recorder}` });
  const outputLength = server.output().length;
  await server.publish({ 'index.html': 'A', 'big.txt': 'b'.repeat(2_500_000) });
  server.child.kill('SIGTERM');
  await server.exited;
  const lines = server.output().slice(outputLength).split('\n');
  const steps = lines.flatMap((line) => (line.startsWith('step ') ? [JSON.parse(line.slice(5)) as Step] : []));

  const responseStart = steps.find(({ name }) => name === '201 sent')!.start;
  // Commits after the response do not belong to the deploy.
  const deploySteps = steps.filter(({ name, start }) => start <= responseStart || !name.startsWith('COMMIT'));
  const lastSteps = ORDER.map((name) => {
    const hits = deploySteps.filter((step) => step.name === name);
    expect(hits, name).not.toEqual([]);
    return { name, start: Math.max(...hits.map(({ start }) => start)), end: Math.max(...hits.map(({ end }) => end)) };
  });
  for (const [i, { name, end }] of lastSteps.slice(0, -1).entries())
    expect(end, `${name} before ${lastSteps[i + 1]!.name}`).toBeLessThan(lastSteps[i + 1]!.start);
});
