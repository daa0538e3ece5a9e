import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@berth/client';
import { startProxy } from '@berth/testing/proxy';
import { useServer } from '@berth/testing/use-server';
import { expect, onTestFinished, test } from 'vitest';
import { randomlyFilled, makeSite, openDesktop, openProxied, openSignedIn, PAGE, SLOW_RETRIES } from './desktop.ts';
import { makeHome } from '../harness/app/folders.ts';
import { TestNative } from './native.ts';

const server = useServer();

const isUpload = (path: string) => path.includes('/uploads/');
const isCommit = (path: string) => path.endsWith('commit');
/** A delay that is longer than the test, even on a slow machine. */
const FAR_FUTURE = expect.toSatisfy((at: number) => at > Date.now() + 1_800_000);

test('a publish job that is cancelled during its upload is not live, and a retry resumes the upload (desktop §8.21)', async () => {
  const desktop = await openSignedIn(server());
  const { letGo } = desktop.hold((_path, method) => method === 'PUT');
  const id = await desktop.dropSite(makeSite({ 'index.html': PAGE, 'film.bin': randomlyFilled(3_000_000) }));
  await desktop.untilPhase(id, 'sending');
  await desktop.ask('cancelPublishing', { id });
  expect((await desktop.find(id)).state).toEqual({ is: 'cancelled' });
  expect(await desktop.deployments()).toEqual([]);
  expect(desktop.native.copied).toEqual([]);
  letGo();
  await desktop.ask('retryPublishing', { id });
  await desktop.published(id);
  expect(await desktop.deployments()).toHaveLength(1);
});

test('a queued publish job is cancelled immediately; cancelling a published site has no effect', async () => {
  const desktop = await openSignedIn(server());
  const { letGo } = desktop.hold();
  const firstJob = await desktop.dropSite(makeSite({ 'index.html': '1' }));
  const secondJob = await desktop.dropSite(makeSite({ 'index.html': '2' }));
  await desktop.ask('cancelPublishing', { id: secondJob });
  expect((await desktop.find(secondJob)).state).toEqual({ is: 'cancelled' });
  letGo();
  const published = await desktop.published(firstJob);
  await desktop.ask('cancelPublishing', { id: firstJob });
  expect((await desktop.find(firstJob)).state).toEqual({ is: 'published', published });
  expect(await desktop.deployments()).toHaveLength(1);
});

test('a publish job that is cancelled after everything is sent is shown as published if its deployment is live', async () => {
  const desktop = await openSignedIn(server());
  const { reached, letGo } = desktop.hold(isCommit);
  const id = await desktop.dropSite();
  await reached;
  await desktop.untilPhase(id, 'finishing');
  const cancelled = desktop.ask('cancelPublishing', { id });
  letGo();
  await cancelled;
  expect((await desktop.find(id)).state.is).toBe('published');
  expect(await desktop.deployments()).toHaveLength(1);
});

test.each([
  ['during the upload', isUpload],
  ['during the commit', isCommit],
])('a publishing that a quit interrupts %s finishes once after the next start (issue 6)', async (_, isThere) => {
  const desktop = await openSignedIn(server());
  const { reached, letGo } = desktop.hold(isThere);
  const id = await desktop.dropSite(makeSite({ 'index.html': PAGE, 'film.bin': randomlyFilled(2_000_000) }));
  const waitingJob = await desktop.dropSite(makeSite({ 'index.html': 'second' }));
  await reached;
  await desktop.backend.close();
  letGo();
  const restartedDesktop = await desktop.restart();
  expect((await server().visit((await restartedDesktop.published(id)).url)).text).toBe(PAGE);
  expect((await server().visit((await restartedDesktop.published(waitingJob)).url)).text).toBe('second');
  expect(await desktop.deployments()).toHaveLength(2);
});

test.each([
  ['during its upload', isUpload],
  ['before it receives the final response', isCommit],
])('an app that is killed %s finishes the publishing once after its next start (issue 6)', async (_, isThere) => {
  const { key } = await server().account();
  const proxy = await startProxy(server().port);
  const [dataDir, cacheDir] = [makeHome(), makeHome()];
  const args = [
    proxy.url,
    key,
    makeSite({ 'index.html': PAGE, 'film.bin': randomlyFilled(2_000_000) }),
    dataDir,
    cacheDir,
  ];
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
  const native = new TestNative();
  native.keys.set(proxy.url, key);
  const desktop = await openDesktop({ server: proxy.url, native, dataDir, cacheDir });
  const publishings = await desktop.publishings();
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
  'an app that is killed after the deploy and before storing the result does not publish a folder %s twice (issue 6)',
  async (_, domain) => {
    const desktop = await openSignedIn(server());
    const [dataDir, cacheDir] = [makeHome(), makeHome()];
    // At this moment, the client has removed its record of the upload, and the list does not contain the result yet.
    desktop.native.copyText = async () => {
      cpSync(desktop.dataDir, dataDir, { recursive: true });
      cpSync(desktop.cacheDir, cacheDir, { recursive: true });
    };
    const { id, deployment } = await desktop.publish(undefined, { domain });
    const native = Object.assign(new TestNative(), { keychain: desktop.native.keychain });
    const restartedDesktop = await openDesktop({ server: desktop.proxy.url, native, dataDir, cacheDir });
    expect(await restartedDesktop.published(id)).toMatchObject({
      deployment,
      domain: domain === undefined ? null : expect.stringContaining(domain),
    });
    expect(await desktop.deployments()).toHaveLength(1);
  },
);

test('an anonymous publish job whose last response is lost in a crash keeps its claim link, and creates one deployment', async () => {
  const desktop = await openProxied(server(), SLOW_RETRIES);
  desktop.proxy.trouble = (_req, path) => (isCommit(path) ? 'lose-answer' : undefined);
  const labels = [`drop-${crypto.randomUUID().slice(0, 8)}`];
  const id = await desktop.dropSite(undefined, { labels });
  await desktop.untilPhase(id, 'retrying', { at: FAR_FUTURE });
  // The second app uses the files of the first app, which is not closed, as after a crash. The first app does nothing for an hour.
  desktop.proxy.trouble = () => undefined;
  const { dataDir, cacheDir, proxy } = desktop;
  const restartedDesktop = await openDesktop({ server: proxy.url, dataDir, cacheDir });
  expect((await restartedDesktop.published(id)).claim).toContain('/claim/');
  expect(await server().database.query('select id from deployment where labels @> $1', [labels])).toHaveLength(1);
});

test('a publish job waits for a server that is down (desktop §8.25)', async () => {
  const desktop = await openSignedIn(server(), 'scale', SLOW_RETRIES);
  desktop.proxy.trouble = () => ({ cutAfter: 0 });
  const id = await desktop.dropSite();
  await desktop.untilPhase(id, 'retrying', { attempt: 1, at: FAR_FUTURE });
  desktop.proxy.trouble = () => undefined;
  desktop.backend.setOnline(true);
  await desktop.published(id);
  expect(await desktop.deployments()).toHaveLength(1);
});

test('a publish job is retried after each pause while the server is down, until the user cancels', async () => {
  const desktop = await openSignedIn(server());
  desktop.proxy.trouble = () => ({ status: 503 });
  const id = await desktop.dropSite();
  await desktop.untilPhase(id, 'retrying', { attempt: expect.toSatisfy((attempt: number) => attempt >= 3) });
  await desktop.ask('cancelPublishing', { id });
  expect((await desktop.find(id)).state).toEqual({ is: 'cancelled' });
  const requests = desktop.proxy.passed.length;
  desktop.backend.onWake();
  desktop.proxy.trouble = () => undefined;
  await desktop.publish();
  expect(desktop.proxy.passed.length).toBeGreaterThan(requests);
  expect(await desktop.deployments()).toHaveLength(1);
});

test('a publish job that waits for one server does not block a publish job to another server', async () => {
  const desktop = await openSignedIn(server(), 'scale', SLOW_RETRIES);
  desktop.proxy.trouble = () => ({ cutAfter: 0 });
  const stuckJob = await desktop.dropSite();
  await desktop.untilPhase(stuckJob, 'retrying');
  const behind = await desktop.dropSite();
  await desktop.ask('addServer', { address: (await startProxy(server().port)).url });
  await desktop.publish();
  expect((await desktop.find(stuckJob)).state.is).toBe('working');
  expect((await desktop.find(behind)).state.is).toBe('queued');
});

test('dismissing a publish job removes it from the list, and cancels it if it is running', async () => {
  const desktop = await openSignedIn(server());
  const { letGo } = desktop.hold((_path, method) => method === 'PUT');
  const id = await desktop.dropSite();
  await desktop.until(id, 'working');
  await desktop.ask('dismissPublishing', { id });
  letGo();
  expect(await desktop.publishings()).toEqual([]);
  expect(desktop.lists().at(-1)).toEqual([]);
  expect(await desktop.deployments()).toEqual([]);
  await expect(desktop.ask('cancelPublishing', { id })).rejects.toThrow('no longer in the list');
});
