import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { outcomeOf, somebody } from './typed.ts';
import { useServer } from '@berth/api/testing/vitest';

const server = useServer();

it('berth activities --follow tells what happened, then what happens, until Ctrl-C', async () => {
  const { key } = await server().account('pro');
  const { starts } = somebody({ BERTH_SERVER: `http://localhost:${server().port}`, BERTH_KEY: key });
  await server().publish({ 'index.html': 'before' }, { key });
  const child = starts('activities', '--limit', '1', '--follow', '--json');
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = outcomeOf(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value as string);
  expect(await next()).toMatchObject({ event: 'deployment.create', domain: null });
  // Something happens again and again until it is told: the line may not be up yet the first time.
  const told = next();
  let labels = 0;
  const rename = async () => {
    const body = JSON.stringify({ labels: [`label-${labels++}`] });
    await server().api('/domains/followed.localhost', {
      method: 'PUT',
      key,
      body,
      headers: { 'Content-Type': 'application/json' },
    });
  };
  await expect.poll(async () => (await rename(), Promise.race([told, null])), { timeout: 10_000 }).not.toBeNull();
  expect(await told).toMatchObject({ domain: 'followed.localhost', deployment: null });
  child.kill('SIGINT');
  expect((await ended).code).toBe(130);
});

it('berth activities reads as many pages as are wanted', async () => {
  const { key } = await server().account('pro');
  const { runs } = somebody({ BERTH_SERVER: `http://localhost:${server().port}`, BERTH_KEY: key });
  const headers = { 'Content-Type': 'application/json' };
  for (let number = 0; number < 101; number++) {
    const body = JSON.stringify({ labels: [`label-${number}`] });
    await server().api('/domains/paged.localhost', { method: 'PUT', key, body, headers });
  }
  const listed = async (limit: string) => JSON.parse((await runs('activities', '--limit', limit, '--json')).out);
  const all = await listed('all');
  expect(all.activities.length).toBeGreaterThan(100);
  expect(all.more).toBe(false);
  const some = await listed('101');
  expect(some).toEqual({ activities: all.activities.slice(-101), more: all.activities.length > 101 });
});
