import { createInterface } from 'node:readline';
import { unreachableAddress } from '@berth/testing/fake-servers';
import { startProxy } from '@berth/testing/proxy';
import { useServer } from '@berth/testing/use-server';
import { expect, it, onTestFinished } from 'vitest';
import { createUser, envOf, outcomeOf } from './user.ts';

const server = useServer();

it('berth activities describes each activity in a sentence', async () => {
  const { key } = await server().account('pro');
  const { runInProcess } = createUser({ ...envOf(server(), key), TZ: 'UTC' });
  const { deployment } = await server().publish({ 'index.html': 'hi' }, { key });
  await runInProcess('domains', 'set', 'described', deployment);
  await runInProcess('deployments', 'label', deployment, 'spring');
  const lines = (await runInProcess('activities')).out.trimEnd().split('\n');
  for (const line of lines) expect(line).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d {2}\S/);
  expect(lines.slice(-3).map((line) => line.split('  ')[1])).toEqual([
    `Published ${deployment}: 1 file, 2 B`,
    `Added described.localhost, pointing to ${deployment}`,
    `Changed the labels of ${deployment} to spring`,
  ]);
});

it('berth activities --follow prints past activities, then new ones, until Ctrl-C', async () => {
  const { key } = await server().account('pro');
  const proxy = await startProxy(server().port);
  const { startProgram } = createUser({ BERTH_SERVER: proxy.url, BERTH_KEY: key });
  const { deployment } = await server().publish({ 'index.html': 'before' }, { key });
  proxy.trouble = async (_req, path) => {
    if (path === '/trpc/activities.watch') await server().publish({ 'index.html': 'meanwhile' }, { key });
    return undefined;
  };
  const child = startProgram('activities', '--limit', '2', '--follow', '--json');
  onTestFinished(() => void child.kill('SIGKILL'));
  const commandOutcome = outcomeOf(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextActivity = async () => JSON.parse((await lines.next()).value as string);
  expect(await nextActivity()).toMatchObject({ event: 'deployment.create', deployment, domain: null });
  expect(await nextActivity()).toMatchObject({ event: 'deployment.create', domain: null });
  await server().api('/domains/followed.localhost', { method: 'PUT', key });
  expect(await nextActivity()).toMatchObject({
    event: 'domain.create',
    domain: 'followed.localhost',
    deployment: null,
  });
  child.kill('SIGINT');
  expect((await commandOutcome).code).toBe(130);
});

it('berth activities shows only the events and causes of --event and --auth-method', async () => {
  const { key } = await server().account();
  const { runInProcess } = createUser(envOf(server(), key));
  await server().publish({ 'index.html': 'hello' }, { key });
  const eventsOf = async (...options: string[]) =>
    JSON.parse((await runInProcess('activities', '--json', ...options)).out).activities.map(
      ({ event }: { event: string }) => event,
    );
  expect(await eventsOf('--event', 'deployment')).toEqual(['deployment.create']);
  expect(await eventsOf('--event', 'deployment,account.create')).toEqual(['account.create', 'deployment.create']);
  expect(await eventsOf('--event', 'deployment', '--auth-method', 'operator')).toEqual([]);
});

it('berth activities --follow prints the error if it cannot connect', async () => {
  const followAt = (url: string) => createUser({ BERTH_SERVER: url }).runInProcess('activities', '--follow');
  const url = `http://localhost:${server().port}`;
  const err = `Error: You are not signed in to ${url}.\nSign in with berth login, or set BERTH_KEY.\n`;
  expect(await followAt(url)).toEqual({ code: 3, out: '', err });
  const unreachableMessage = expect.stringContaining('Is a Berth server running at');
  expect(await followAt(await unreachableAddress())).toMatchObject({ code: 5, out: '', err: unreachableMessage });
});

it('berth activities reads as many pages as --limit needs', async () => {
  const { key } = await server().account('pro');
  const { runInProcess } = createUser(envOf(server(), key));
  const headers = { 'Content-Type': 'application/json' };
  for (let number = 0; number < 101; number++) {
    const body = JSON.stringify({ labels: [`label-${number}`] });
    await server().api('/domains/paged.localhost', { method: 'PUT', key, body, headers });
  }
  const listActivities = async (limit: string) =>
    JSON.parse((await runInProcess('activities', '--limit', limit, '--json')).out);
  const allActivities = await listActivities('all');
  expect(allActivities.activities.length).toBeGreaterThan(100);
  expect(allActivities.more).toBe(false);
  const newestActivities = await listActivities('101');
  expect(newestActivities).toEqual({
    activities: allActivities.activities.slice(-101),
    more: allActivities.activities.length > 101,
  });
});
