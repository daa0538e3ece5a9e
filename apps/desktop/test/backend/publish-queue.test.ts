import { expect, onTestFinished, test } from 'vitest';
import { PublishQueue, type RunJob } from '../../src/main/publishing/publish-queue.ts';

/** Creates a queue whose attempts finish when the test calls `end`. */
function controlledQueue() {
  const startedJobs: string[] = [];
  const resolvers = new Map<string, (pauseMs: number | null) => void>();
  const runJob: RunJob = (id, signal) => {
    startedJobs.push(id);
    const { promise, resolve } = Promise.withResolvers<number | null>();
    resolvers.set(id, resolve);
    signal.addEventListener('abort', () => resolve(null));
    return promise;
  };
  const queue = new PublishQueue(runJob);
  onTestFinished(() => queue.close());
  return {
    queue,
    started: startedJobs,
    end: (id: string, pauseMs: number | null = null) => resolvers.get(id)!(pauseMs),
  };
}

test('the queue runs one job at a time, in the order in which jobs were added', async () => {
  const { queue, started, end } = controlledQueue();
  for (const id of ['a', 'b', 'c']) queue.add(id, 'here');
  expect(started).toEqual(['a']);
  end('a');
  await expect.poll(() => started).toEqual(['a', 'b']);
  end('b');
  await expect.poll(() => started).toEqual(['a', 'b', 'c']);
});

test('while a job is paused, jobs of other groups run; then it resumes ahead of its own group', async () => {
  const { queue, started, end } = controlledQueue();
  queue.add('a', 'here');
  queue.add('b', 'here');
  queue.add('c', 'there');
  end('a', 3_600_000);
  await expect.poll(() => started).toEqual(['a', 'c']);
  queue.endPauses();
  end('c');
  await expect.poll(() => started).toEqual(['a', 'c', 'a']);
  end('a');
  await expect.poll(() => started).toEqual(['a', 'c', 'a', 'b']);
});

test('a paused job resumes automatically when its pause is over', async () => {
  const { queue, started, end } = controlledQueue();
  queue.add('a', 'here');
  end('a', 10);
  await expect.poll(() => started).toEqual(['a', 'a']);
});

test('cancelling removes a running, paused or waiting job, and the next job starts', async () => {
  const { queue, started, end } = controlledQueue();
  for (const id of ['a', 'b', 'c', 'd']) queue.add(id, 'here');
  await queue.cancel('b');
  await queue.cancel('a');
  expect(started).toEqual(['a', 'c']);
  end('c', 3_600_000);
  await expect.poll(async () => (await queue.cancel('c'), started)).toEqual(['a', 'c', 'd']);
  await queue.cancel('unknown');
});

test('closing the queue aborts the running job, and no other job starts', async () => {
  const { queue, started } = controlledQueue();
  queue.add('a', 'here');
  queue.add('b', 'here');
  await queue.close();
  queue.add('c', 'there');
  queue.endPauses();
  expect(started).toEqual(['a']);
});
