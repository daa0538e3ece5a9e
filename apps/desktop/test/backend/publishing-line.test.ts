import { expect, onTestFinished, test } from 'vitest';
import { type Attempt, createLine } from '../../src/main/publishing/line.ts';

/** A queue whose attempts end when the test ends them. */
function standInLine() {
  const begun: string[] = [];
  const ends = new Map<string, (pauseMs: number | null) => void>();
  const attempt: Attempt = (id, signal) => {
    begun.push(id);
    const { promise, resolve } = Promise.withResolvers<number | null>();
    ends.set(id, resolve);
    signal.addEventListener('abort', () => resolve(null));
    return promise;
  };
  const line = createLine(attempt);
  onTestFinished(() => line.close());
  return { line, begun, end: (id: string, pauseMs: number | null = null) => ends.get(id)!(pauseMs) };
}

test('runs one job at a time, in the order they were added', async () => {
  const { line, begun, end } = standInLine();
  for (const id of ['a', 'b', 'c']) line.add(id, 'here');
  expect(begun).toEqual(['a']);
  end('a');
  await expect.poll(() => begun).toEqual(['a', 'b']);
  end('b');
  await expect.poll(() => begun).toEqual(['a', 'b', 'c']);
});

test('a paused job lets other groups go first and resumes ahead of its own group', async () => {
  const { line, begun, end } = standInLine();
  line.add('a', 'here');
  line.add('b', 'here');
  line.add('c', 'there');
  end('a', 3_600_000);
  await expect.poll(() => begun).toEqual(['a', 'c']);
  line.hurry();
  end('c');
  await expect.poll(() => begun).toEqual(['a', 'c', 'a']);
  end('a');
  await expect.poll(() => begun).toEqual(['a', 'c', 'a', 'b']);
});

test('a pause ends automatically', async () => {
  const { line, begun, end } = standInLine();
  line.add('a', 'here');
  end('a', 10);
  await expect.poll(() => begun).toEqual(['a', 'a']);
});

test('cancelling removes a running, paused or waiting job, and the next one starts', async () => {
  const { line, begun, end } = standInLine();
  for (const id of ['a', 'b', 'c', 'd']) line.add(id, 'here');
  await line.cancel('b');
  await line.cancel('a');
  expect(begun).toEqual(['a', 'c']);
  end('c', 3_600_000);
  await expect.poll(async () => (await line.cancel('c'), begun)).toEqual(['a', 'c', 'd']);
  await line.cancel('nobody');
});

test('closing aborts the running job and starts no other', async () => {
  const { line, begun } = standInLine();
  line.add('a', 'here');
  line.add('b', 'here');
  await line.close();
  line.add('c', 'there');
  line.hurry();
  expect(begun).toEqual(['a']);
});
