import { join } from 'node:path';
import { createClient } from '@berth/client';
import { useServer } from '@berth/testing/use-server';
import { expect, test, vi } from 'vitest';
import { listsOf, makeSite } from './desktop.ts';
import { big, open, openSignedIn, PAGE } from './publishing-world.ts';

const server = useServer();

test('publishes a dropped folder and copies its link (desktop §8.1, §8.2)', async () => {
  const desktop = await openSignedIn(server());
  const [id] = await desktop.drop([makeSite({ 'index.html': PAGE, 'a/b.txt': 'deep' })]);
  const { url, deployment, copied, files, claim, expires } = await desktop.published(id!);
  expect((await server().visit(url)).text).toBe(PAGE);
  expect((await server().visit(url, '/a/b.txt')).text).toBe('deep');
  expect(desktop.native.copied).toEqual([url]);
  expect({ copied, files, claim, expires }).toEqual({ copied: true, files: 2, claim: null, expires: null });
  expect(await desktop.deployments()).toMatchObject([{ deployment, via: 'desktop' }]);
  expect(await desktop.find(id!)).toMatchObject({ name: 'site', kind: 'folder', watchable: true });
});

test('gives the deployment its name, labels and password, and links to the name', async () => {
  const desktop = await openSignedIn(server());
  const options = { domain: 'my-trip', labels: ['spring'], password: 'open sesame' };
  const [id] = await desktop.drop([makeSite({ 'index.html': PAGE })], options);
  const published = await desktop.published(id!);
  expect(published).toMatchObject({ domain: 'my-trip.localhost', password: true });
  expect(new URL(published.url).hostname).toBe('my-trip.localhost');
  expect(await desktop.deployments()).toMatchObject([{ labels: ['spring'], password: true }]);
});

test('does not claim that a link was copied if copying fails or is switched off', async () => {
  const desktop = await openSignedIn(server());
  desktop.native.broken.copyText = new Error('no clipboard');
  const [first] = await desktop.drop([makeSite({ 'index.html': PAGE })]);
  expect((await desktop.published(first!)).copied).toBe(false);
  delete desktop.native.broken.copyText;
  await desktop.ask('changeSettings', { copyLinks: false });
  const [second] = await desktop.drop([makeSite({ 'index.html': PAGE })]);
  expect((await desktop.published(second!)).copied).toBe(false);
  expect(desktop.native.copied).toEqual([]);
});

test('publishes without an account and can be claimed later (desktop §8.8)', async () => {
  const desktop = await open(server());
  const [id] = await desktop.drop([makeSite({ 'index.html': PAGE })]);
  const { claim, expires, url } = await desktop.published(id!);
  expect(claim).toContain('/claim/');
  expect(expires! - Date.now() / 1_000).toBeGreaterThan(2 * 86_400);
  await expect(desktop.ask('claimPublishing', { id: id! })).rejects.toMatchObject({
    kind: 'signed-out',
    message: expect.stringContaining('to claim this site'),
  });
  const again = await desktop.restart();
  expect((await again.published(id!)).claim).toBe(claim);

  const { key } = await server().account();
  await again.ask('signIn', { key });
  await again.ask('claimPublishing', { id: id! });
  expect(await again.published(id!)).toMatchObject({ claim: null, expires: null, url });
  const { deployments } = await createClient({ server: desktop.proxy.url, key }).api.deployments.list.query({});
  expect(deployments).toMatchObject([{ url }]);
  expect(deployments[0]).not.toHaveProperty('expires');
  await expect(again.ask('claimPublishing', { id: id! })).rejects.toThrow('cannot be claimed');
});

test('removes the claim link when the deployment expires', async () => {
  const desktop = await open(server());
  const [id] = await desktop.drop([makeSite({ 'index.html': PAGE })]);
  const { expires } = await desktop.published(id!);
  vi.useFakeTimers({ now: expires! * 1_000, toFake: ['Date'] });
  try {
    expect((await desktop.find(id!)).state).toMatchObject({ is: 'published', published: { claim: null, expires } });
    expect(desktop.backend.summary().links).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});

test('a retried publishing waits in the queue like a new one', async () => {
  const desktop = await openSignedIn(server());
  desktop.proxy.trouble = () => ({ status: 400 });
  const [first] = await desktop.drop([makeSite({ 'index.html': '1' })]);
  await desktop.until(first!, 'failed');
  const gate = Promise.withResolvers<undefined>();
  desktop.proxy.trouble = () => gate.promise;
  const [second] = await desktop.drop([makeSite({ 'index.html': '2' })]);
  await desktop.until(second!, 'working');
  await desktop.ask('retryPublishing', { id: first! });
  expect((await desktop.find(first!)).state).toEqual({ is: 'queued' });
  gate.resolve(undefined);
  await desktop.published(first!);
});

test('queues drops in order during a publishing, and each gets its link (desktop §8.20)', async () => {
  const desktop = await openSignedIn(server());
  const gate = Promise.withResolvers<undefined>();
  desktop.proxy.trouble = () => gate.promise;
  const [first] = await desktop.drop([makeSite({ 'index.html': '1' }, 'one')]);
  await desktop.until(first!, 'working');
  const [second, third] = await desktop.drop([
    makeSite({ 'index.html': '2' }, 'two'),
    makeSite({ 'index.html': '3' }, 'three'),
  ]);
  const { publishings } = await desktop.ask('readState', undefined);
  expect(publishings.map(({ name, state }) => [name, state.is])).toEqual([
    ['three', 'queued'],
    ['two', 'queued'],
    ['one', 'working'],
  ]);
  expect(desktop.backend.summary()).toMatchObject({ status: 'working', text: '3 sites are being published.' });
  gate.resolve(undefined);
  const all = await Promise.all([first, second, third].map((id) => desktop.published(id!)));
  expect(await Promise.all(all.map(async ({ url }) => (await server().visit(url)).text))).toEqual(['1', '2', '3']);
  expect(desktop.native.copied).toEqual(all.map(({ url }) => url));
  expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).toSorted());
});

test('a refused publishing fails immediately, says why, and can be retried', async () => {
  const desktop = await openSignedIn(server());
  desktop.native.focused = false;
  desktop.proxy.trouble = () => ({ status: 400 });
  const [id] = await desktop.drop([makeSite({ 'index.html': PAGE }, 'blog')]);
  const { state } = await desktop.until(id!, 'failed');
  expect(state.problem).toMatchObject({ kind: 'refused', message: expect.stringContaining('400') });
  expect(desktop.backend.summary()).toMatchObject({ status: 'error', text: 'blog could not be published.' });
  expect(desktop.native.notes).toMatchObject([{ title: 'blog was not published' }]);
  desktop.native.notes[0]!.onClick();
  expect(desktop.native.windows).toBe(1);
  expect(desktop.emitted.at(-1)).toMatchObject({ name: 'navigate', data: { page: 'publish', id } });
  desktop.proxy.trouble = () => undefined;
  await desktop.ask('retryPublishing', { id: id! });
  await desktop.published(id!);
  await expect(desktop.ask('retryPublishing', { id: id! })).rejects.toThrow('failed or cancelled');
});

test('a published folder can be watched, but only once', async () => {
  const desktop = await openSignedIn(server());
  const folder = makeSite({ 'index.html': PAGE }, 'garden');
  const [id] = await desktop.drop([folder]);
  await desktop.published(id!);
  expect((await desktop.find(id!)).watchable).toBe(true);
  expect(await desktop.ask('suggestName', { of: { publishing: id! } })).toMatchObject({ name: 'garden' });
  await desktop.ask('watch', { of: { publishing: id! }, domain: 'garden-of-ours', labels: [] });
  expect((await desktop.ask('readState', undefined)).folders).toMatchObject([{ path: folder }]);
  expect((await desktop.find(id!)).watchable).toBe(false);
  await expect.poll(() => listsOf(desktop).at(-1)).toMatchObject([{ id, watchable: false }]);
  const [files] = await desktop.drop([join(folder, 'index.html')]);
  await expect(desktop.ask('suggestName', { of: { publishing: files! } })).rejects.toMatchObject({ kind: 'refused' });
});

test('notifies when a publishing ends while the window is in the background; a click opens the site (desktop §8.14)', async () => {
  const desktop = await openSignedIn(server(), 'scale', { server: `http://localhost:${server().port}` });
  const [seen] = await desktop.drop([makeSite({ 'index.html': PAGE })]);
  await desktop.published(seen!);
  expect(desktop.native.notes).toEqual([]);
  desktop.native.focused = false;
  const [unseen] = await desktop.drop([makeSite({ 'index.html': PAGE }, 'blog')]);
  const { url } = await desktop.published(unseen!);
  expect(desktop.native.notes).toMatchObject([{ title: 'blog is live' }]);
  desktop.native.notes[0]!.onClick();
  await expect.poll(() => desktop.native.opened).toEqual([new URL(url).href]);
  await desktop.ask('changeSettings', { notifications: false });
  const [silent] = await desktop.drop([makeSite({ 'index.html': PAGE })]);
  await desktop.published(silent!);
  expect(desktop.native.notes).toHaveLength(1);
});

test('emits a bounded number of lists for 1,000 files, with all phases', async () => {
  const desktop = await openSignedIn(server());
  const files = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`f/${i}.txt`, `file ${i}`]));
  const began = performance.now();
  const [id] = await desktop.drop([makeSite({ 'index.html': PAGE, 'film.bin': big(20_000_000), ...files })]);
  await desktop.published(id!);
  const lists = listsOf(desktop);
  const seconds = (performance.now() - began) / 1_000;
  // Two events are emitted immediately: that it was added, and that it is live.
  expect(lists.length).toBeLessThanOrEqual(Math.ceil(seconds * 10) + 3);
  expect(lists.at(-1)).toMatchObject([{ id, state: { is: 'published' } }]);
  expect(new Set(lists.flat().map(({ state }) => state.is))).toContain('working');
});

test('a published folder lists its skipped files', async () => {
  const desktop = await openSignedIn(server());
  const key = `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(64)}\n-----END PRIVATE KEY-----\n`;
  const [id] = await desktop.drop([makeSite({ 'index.html': PAGE, '.env': 'S=1', 'my.pem': key, '.DS_Store': '' })]);
  expect((await desktop.published(id!)).files).toBe(1);
  expect((await desktop.find(id!)).leftOut).toEqual([{ reason: 'private', count: 2, paths: ['.env', 'my.pem'] }]);
});
