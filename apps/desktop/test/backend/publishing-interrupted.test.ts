import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@berth/client';
import { startProxy } from '@berth/testing/proxy';
import { useServer } from '@berth/testing/use-server';
import { expect, onTestFinished, test } from 'vitest';
import { listsOf, makeDir, makeSite, openDesktop } from './desktop.ts';
import { testNative } from './native.ts';
import { big, open, openSignedIn, PAGE } from './publishing-world.ts';

const server = useServer();
/** True for a time that is certainly after the end of the test, even on a slow machine. */
const isFar = (at: number) => at > Date.now() + 1_800_000;

test('a publishing that is cancelled during its upload is not live, and a retry resumes the upload (desktop §8.21)', async () => {
  const desktop = await openSignedIn(server());
  const gate = Promise.withResolvers<undefined>();
  desktop.proxy.trouble = ({ method }) => (method === 'PUT' ? gate.promise : undefined);
  const [id] = await desktop.drop([makeSite({ 'index.html': PAGE, 'film.bin': big(3_000_000) })]);
  await expect
    .poll(async () => (await desktop.find(id!)).state)
    .toMatchObject({ is: 'working', progress: { phase: 'sending' } });
  await desktop.ask('cancelPublishing', { id: id! });
  expect((await desktop.find(id!)).state).toEqual({ is: 'cancelled' });
  expect(await desktop.deployments()).toEqual([]);
  expect(desktop.native.copied).toEqual([]);
  gate.resolve(undefined);
  await desktop.ask('retryPublishing', { id: id! });
  await desktop.published(id!);
  expect(await desktop.deployments()).toHaveLength(1);
});

test('cancels a queued publishing immediately, and does not change a published one', async () => {
  const desktop = await openSignedIn(server());
  const gate = Promise.withResolvers<undefined>();
  desktop.proxy.trouble = () => gate.promise;
  const [first] = await desktop.drop([makeSite({ 'index.html': '1' })]);
  const [second] = await desktop.drop([makeSite({ 'index.html': '2' })]);
  await desktop.ask('cancelPublishing', { id: second! });
  expect((await desktop.find(second!)).state).toEqual({ is: 'cancelled' });
  gate.resolve(undefined);
  const published = await desktop.published(first!);
  await desktop.ask('cancelPublishing', { id: first! });
  expect((await desktop.find(first!)).state).toEqual({ is: 'published', published });
  expect(await desktop.deployments()).toHaveLength(1);
});

test('cancelling after everything is sent still reports a deployment that went live', async () => {
  const desktop = await openSignedIn(server());
  const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<undefined>()];
  desktop.proxy.trouble = (_req, path) => {
    if (!path.endsWith('commit')) return undefined;
    asked.resolve();
    return gate.promise;
  };
  const [id] = await desktop.drop([makeSite({ 'index.html': PAGE })]);
  await asked.promise;
  await expect.poll(async () => (await desktop.find(id!)).state).toMatchObject({ progress: { phase: 'finishing' } });
  const cancelled = desktop.ask('cancelPublishing', { id: id! });
  gate.resolve(undefined);
  await cancelled;
  expect((await desktop.find(id!)).state.is).toBe('published');
  expect(await desktop.deployments()).toHaveLength(1);
});

test.each([
  ['during the upload', (path: string) => path.includes('/uploads/')],
  ['during the commit', (path: string) => path.endsWith('commit')],
])('a publishing that is interrupted by a quit %s finishes once after the next start (issue 6)', async (_, isThere) => {
  const desktop = await openSignedIn(server());
  const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<undefined>()];
  desktop.proxy.trouble = (_req, path) => {
    if (!isThere(path)) return undefined;
    reached.resolve();
    return gate.promise;
  };
  const [id] = await desktop.drop([makeSite({ 'index.html': PAGE, 'film.bin': big(2_000_000) })]);
  const [waiting] = await desktop.drop([makeSite({ 'index.html': 'second' })]);
  await reached.promise;
  await desktop.backend.close();
  desktop.proxy.trouble = () => undefined;
  gate.resolve(undefined);
  const again = await desktop.restart();
  expect((await server().visit((await again.published(id!)).url)).text).toBe(PAGE);
  expect((await server().visit((await again.published(waiting!)).url)).text).toBe('second');
  expect(await desktop.deployments()).toHaveLength(2);
});

test.each([
  ['during its upload', (path: string) => path.includes('/uploads/')],
  ['before it receives the final answer', (path: string) => path.endsWith('commit')],
])('an app that is killed %s finishes the publishing once after its next start (issue 6)', async (_, isThere) => {
  const { key } = await server().account();
  const proxy = await startProxy(server().port);
  const [dataDir, cacheDir] = [makeDir(), makeDir()];
  const args = [proxy.url, key, makeSite({ 'index.html': PAGE, 'film.bin': big(2_000_000) }), dataDir, cacheDir];
  const app = spawn(process.execPath, [join(import.meta.dirname, 'killed-app.ts'), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  onTestFinished(() => void app.kill('SIGKILL'));
  proxy.trouble = (_req, path) => {
    if (!isThere(path)) return undefined;
    app.kill('SIGKILL');
    return 'lose-answer';
  };
  expect((await once(app, 'close'))[1]).toBe('SIGKILL');
  proxy.trouble = () => undefined;
  const native = testNative();
  native.keys.set(proxy.url, key);
  const desktop = await openDesktop({ server: proxy.url, native, dataDir, cacheDir });
  const { publishings } = await desktop.ask('readState', undefined);
  expect(publishings).toHaveLength(1);
  const { url } = await desktop.published(publishings[0]!.id);
  expect((await server().visit(url)).text).toBe(PAGE);
  const { deployments } = await createClient({ server: proxy.url, key }).api.deployments.list.query({});
  expect(deployments).toMatchObject([{ url }]);
});

test.each([
  ['without a name', undefined],
  ['with a name', `k${crypto.randomUUID().slice(0, 12)}`],
])(
  'an app that is killed after the deploy but before storing the result does not publish twice (issue 6): %s',
  async (_, domain) => {
    const desktop = await openSignedIn(server());
    const [dataDir, cacheDir] = [makeDir(), makeDir()];
    // The link is copied after the engine has removed its record of the upload, and before the list says that it is published.
    desktop.native.copyText = () => {
      cpSync(desktop.dataDir, dataDir, { recursive: true });
      cpSync(desktop.cacheDir, cacheDir, { recursive: true });
    };
    const [id] = await desktop.drop([makeSite({ 'index.html': PAGE })], { domain });
    const { deployment } = await desktop.published(id!);
    const native = Object.assign(testNative(), { keychain: desktop.native.keychain });
    const again = await openDesktop({ server: desktop.proxy.url, native, dataDir, cacheDir });
    expect(await again.published(id!)).toMatchObject({
      deployment,
      domain: domain === undefined ? null : expect.stringContaining(domain),
    });
    expect(await desktop.deployments()).toHaveLength(1);
  },
);

test('an anonymous publishing keeps its claim link and is published once if the last answer is lost in a crash', async () => {
  const desktop = await open(server(), { watchRule: { firstPauseMs: 3_600_000, longestPauseMs: 3_600_000 } });
  desktop.proxy.trouble = (_req, path) => (path.endsWith('commit') ? 'lose-answer' : undefined);
  const labels = [`drop-${crypto.randomUUID().slice(0, 8)}`];
  const [id] = await desktop.drop([makeSite({ 'index.html': PAGE })], { labels });
  await expect
    .poll(async () => (await desktop.find(id!)).state)
    .toMatchObject({
      progress: { phase: 'retrying', at: expect.toSatisfy(isFar) },
    });
  // Uses its files without closing the app, as after a crash. The first app does nothing for an hour.
  desktop.proxy.trouble = () => undefined;
  const { dataDir, cacheDir, proxy } = desktop;
  const again = await openDesktop({ server: proxy.url, dataDir, cacheDir });
  expect((await again.published(id!)).claim).toContain('/claim/');
  expect(await server().database.query('select id from deployment where labels @> $1', [labels])).toHaveLength(1);
});

test('waits for a server that is down (desktop §8.25)', async () => {
  const desktop = await openSignedIn(server(), 'scale', {
    watchRule: { firstPauseMs: 3_600_000, longestPauseMs: 3_600_000 },
  });
  desktop.proxy.trouble = () => ({ cutAfter: 0 });
  const [id] = await desktop.drop([makeSite({ 'index.html': PAGE })]);
  await expect
    .poll(async () => (await desktop.find(id!)).state)
    .toMatchObject({
      is: 'working',
      progress: { phase: 'retrying', attempt: 1, at: expect.toSatisfy(isFar) },
    });
  desktop.proxy.trouble = () => undefined;
  desktop.backend.setOnline(true);
  await desktop.published(id!);
  expect(await desktop.deployments()).toHaveLength(1);
});

test('retries after each pause while the server is down, until the user cancels', async () => {
  const desktop = await openSignedIn(server());
  desktop.proxy.trouble = () => ({ status: 503 });
  const [id] = await desktop.drop([makeSite({ 'index.html': PAGE })]);
  await expect
    .poll(async () => (await desktop.find(id!)).state)
    .toMatchObject({ progress: { phase: 'retrying', attempt: expect.toSatisfy((attempt: number) => attempt >= 3) } });
  await desktop.ask('cancelPublishing', { id: id! });
  expect((await desktop.find(id!)).state).toEqual({ is: 'cancelled' });
  const requests = desktop.proxy.passed.length;
  desktop.backend.onWake();
  desktop.proxy.trouble = () => undefined;
  const [next] = await desktop.drop([makeSite({ 'index.html': PAGE })]);
  await desktop.published(next!);
  expect(desktop.proxy.passed.length).toBeGreaterThan(requests);
  expect(await desktop.deployments()).toHaveLength(1);
});

test('waiting for one server does not block publishing to another', async () => {
  const desktop = await openSignedIn(server(), 'scale', {
    watchRule: { firstPauseMs: 3_600_000, longestPauseMs: 3_600_000 },
  });
  desktop.proxy.trouble = () => ({ cutAfter: 0 });
  const [stuck] = await desktop.drop([makeSite({ 'index.html': PAGE })]);
  await expect.poll(async () => (await desktop.find(stuck!)).state).toMatchObject({ progress: { phase: 'retrying' } });
  const [behind] = await desktop.drop([makeSite({ 'index.html': PAGE })]);
  await desktop.ask('addServer', { address: (await startProxy(server().port)).url });
  const [other] = await desktop.drop([makeSite({ 'index.html': PAGE })]);
  await desktop.published(other!);
  expect((await desktop.find(stuck!)).state.is).toBe('working');
  expect((await desktop.find(behind!)).state.is).toBe('queued');
});

test('dismissing removes a publishing from the list, and cancels it if it is running', async () => {
  const desktop = await openSignedIn(server());
  const gate = Promise.withResolvers<undefined>();
  desktop.proxy.trouble = ({ method }) => (method === 'PUT' ? gate.promise : undefined);
  const [id] = await desktop.drop([makeSite({ 'index.html': PAGE })]);
  await desktop.until(id!, 'working');
  await desktop.ask('dismissPublishing', { id: id! });
  gate.resolve(undefined);
  expect((await desktop.ask('readState', undefined)).publishings).toEqual([]);
  expect(listsOf(desktop).at(-1)).toEqual([]);
  expect(await desktop.deployments()).toEqual([]);
  await expect(desktop.ask('cancelPublishing', { id: id! })).rejects.toThrow('no longer in the list');
});

test('sets a damaged publishings.json aside and starts', async () => {
  const dataDir = makeDir();
  writeFileSync(join(dataDir, 'publishings.json'), '{"publishings":[{"id":"../../etc"}]}');
  const desktop = await open(server(), { dataDir });
  expect((await desktop.ask('readState', undefined)).publishings).toEqual([]);
  expect(readdirSync(dataDir)).toContain('publishings.json.damaged');
});
