import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@berth/client';
import { useServer } from '@berth/testing/use-server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { randomlyFilled, makeSite, openProxied, openSignedIn, PAGE } from './desktop.ts';

const server = useServer();

test('a dropped folder is published, and its link is copied (desktop §8.1, §8.2)', async () => {
  const desktop = await openSignedIn(server());
  const { id, url, deployment, ...published } = await desktop.publish(
    makeSite({ 'index.html': PAGE, 'a/b.txt': 'deep' }),
  );
  expect((await server().visit(url)).text).toBe(PAGE);
  expect((await server().visit(url, '/a/b.txt')).text).toBe('deep');
  expect(desktop.native.copied).toEqual([url]);
  expect(published).toMatchObject({ copied: true, files: 2, claim: null, expires: null });
  expect(await desktop.deployments()).toMatchObject([{ deployment, via: 'desktop' }]);
  expect(await desktop.find(id)).toMatchObject({ name: 'site', kind: 'folder', watchable: true });
});

test('a publish job with a name, labels and a password applies them to the deployment and links to the name', async () => {
  const desktop = await openSignedIn(server());
  const options = { domain: 'my-trip', labels: ['spring'], password: 'open sesame' };
  const published = await desktop.publish(undefined, options);
  expect(published).toMatchObject({ domain: 'my-trip.localhost', password: true });
  expect(new URL(published.url).hostname).toBe('my-trip.localhost');
  expect(await desktop.deployments()).toMatchObject([{ labels: ['spring'], password: true }]);
});

test('a publish job does not claim that its link was copied if copying fails or is switched off', async () => {
  const desktop = await openSignedIn(server());
  desktop.native.broken.copyText = new Error('no clipboard');
  expect((await desktop.publish()).copied).toBe(false);
  delete desktop.native.broken.copyText;
  await desktop.ask('changeSettings', { copyLinks: false });
  expect((await desktop.publish()).copied).toBe(false);
  expect(desktop.native.copied).toEqual([]);
});

test('a folder is published without an account, and the site can be claimed later (desktop §8.8)', async () => {
  const desktop = await openProxied(server());
  const { id, claim, expires, url } = await desktop.publish();
  expect(claim).toContain('/claim/');
  expect(expires! - Date.now() / 1_000).toBeGreaterThan(2 * 86_400);
  await expect(desktop.ask('claimPublishing', { id })).rejects.toMatchObject({
    kind: 'signed-out',
    message: expect.stringContaining('to claim this site'),
  });
  const restartedDesktop = await desktop.restart();
  expect((await restartedDesktop.published(id)).claim).toBe(claim);

  const { key } = await server().account();
  await restartedDesktop.ask('signIn', { key });
  await restartedDesktop.ask('claimPublishing', { id });
  expect(await restartedDesktop.published(id)).toMatchObject({ claim: null, expires: null, url });
  const { deployments } = await createClient({ server: desktop.proxy.url, key }).api.deployments.list.query({});
  expect(deployments).toMatchObject([{ url }]);
  expect(deployments[0]).not.toHaveProperty('expires');
  await expect(restartedDesktop.ask('claimPublishing', { id })).rejects.toThrow('cannot be claimed');
});

test('a publish job loses its claim link when its deployment expires', async () => {
  const desktop = await openProxied(server());
  const { id, expires } = await desktop.publish();
  vi.useFakeTimers({ now: expires! * 1_000, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  expect((await desktop.find(id)).state).toMatchObject({ is: 'published', published: { claim: null, expires } });
  expect(desktop.backend.summary().links).toEqual([]);
});

test('drops during a publish job are queued in order, and each drop gets its link (desktop §8.20)', async () => {
  const desktop = await openSignedIn(server());
  const { letGo } = desktop.hold();
  const firstJob = await desktop.dropSite(makeSite({ 'index.html': '1' }, 'one'));
  await desktop.until(firstJob, 'working');
  const folders = [makeSite({ 'index.html': '2' }, 'two'), makeSite({ 'index.html': '3' }, 'three')];
  const [second, third] = await desktop.drop(folders);
  const states = (await desktop.publishings()).map(({ name, state }) => `${name} ${state.is}`);
  expect(states).toEqual(['three queued', 'two queued', 'one working']);
  expect(desktop.backend.summary()).toMatchObject({ status: 'working', text: '3 sites are being published.' });
  letGo();
  const publishedSites = await Promise.all([firstJob, second, third].map((id) => desktop.published(id!)));
  expect(await Promise.all(publishedSites.map(async ({ url }) => (await server().visit(url)).text))).toEqual([
    '1',
    '2',
    '3',
  ]);
  expect(desktop.native.copied).toEqual(publishedSites.map(({ url }) => url));
  expect(publishedSites.map(({ at }) => at)).toEqual(publishedSites.map(({ at }) => at).toSorted());
});

test('a refused publish job fails immediately with a reason, and is queued when the user retries', async () => {
  const desktop = await openSignedIn(server());
  desktop.native.focused = false;
  desktop.proxy.trouble = () => ({ status: 400 });
  const id = await desktop.dropSite(makeSite(undefined, 'blog'));
  const { state } = await desktop.until(id, 'failed');
  expect(state.problem).toMatchObject({ kind: 'refused', message: expect.stringContaining('400') });
  expect(desktop.backend.summary()).toMatchObject({ status: 'error', text: 'blog could not be published.' });
  expect(desktop.native.notes).toMatchObject([{ title: 'blog was not published' }]);
  expect(desktop.native.notes).toMatchObject([{ about: id, link: null, target: { page: 'publish', id } }]);
  const { letGo } = desktop.hold();
  await desktop.until(await desktop.dropSite(), 'working');
  await desktop.ask('retryPublishing', { id });
  expect((await desktop.find(id)).state).toEqual({ is: 'queued' });
  letGo();
  await desktop.published(id);
  await expect(desktop.ask('retryPublishing', { id })).rejects.toThrow('failed or cancelled');
});

test('a published folder can be watched, but only once', async () => {
  const desktop = await openSignedIn(server());
  const folder = makeSite(undefined, 'garden');
  const { id } = await desktop.publish(folder);
  expect((await desktop.find(id)).watchable).toBe(true);
  expect(await desktop.ask('suggestName', { of: { publishing: id } })).toMatchObject({ name: 'garden' });
  await desktop.ask('watch', { of: { publishing: id }, domain: 'garden-of-ours', labels: [] });
  expect((await desktop.ask('readState', undefined)).folders).toMatchObject([{ path: folder }]);
  expect((await desktop.find(id)).watchable).toBe(false);
  await expect.poll(() => desktop.lists().at(-1)).toMatchObject([{ id, watchable: false }]);
  const files = await desktop.dropSite(join(folder, 'index.html'));
  await expect(desktop.ask('suggestName', { of: { publishing: files } })).rejects.toMatchObject({ kind: 'refused' });
});

test('a notification is shown when a publish job finishes in the background; a click opens the site (desktop §8.14)', async () => {
  const desktop = await openSignedIn(server(), 'scale', { server: `http://localhost:${server().port}` });
  await desktop.publish();
  expect(desktop.native.notes).toEqual([]);
  desktop.native.focused = false;
  const { url } = await desktop.publish(makeSite(undefined, 'blog'));
  expect(desktop.native.notes).toMatchObject([{ title: 'blog is live' }]);
  expect(desktop.native.notes).toMatchObject([{ link: url }]);
  await desktop.ask('changeSettings', { notifications: false });
  await desktop.publish();
  expect(desktop.native.notes).toHaveLength(1);
});

test('publishing 1,000 files emits a bounded number of events that show all phases', async () => {
  const desktop = await openSignedIn(server());
  const files = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`f/${i}.txt`, `file ${i}`]));
  const startMs = performance.now();
  const { id } = await desktop.publish(
    makeSite({ 'index.html': PAGE, 'film.bin': randomlyFilled(20_000_000), ...files }),
  );
  const emittedLists = desktop.lists();
  const seconds = (performance.now() - startMs) / 1_000;
  // The app emits two events immediately: when the folder is added, and when the site is live.
  expect(emittedLists.length).toBeLessThanOrEqual(Math.ceil(seconds * 10) + 3);
  expect(emittedLists.at(-1)).toMatchObject([{ id, state: { is: 'published' } }]);
  expect(new Set(emittedLists.flat().map(({ state }) => state.is))).toContain('working');
});

test('a published folder lists its skipped files', async () => {
  const desktop = await openSignedIn(server());
  const key = `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(64)}\n-----END PRIVATE KEY-----\n`;
  const folder = makeSite({ 'index.html': PAGE, '.env': 'S=1', 'my.pem': key, '.DS_Store': '' });
  const { id, files } = await desktop.publish(folder);
  expect(files).toBe(1);
  expect((await desktop.find(id)).leftOut).toEqual([{ reason: 'private', count: 2, paths: ['.env', 'my.pem'] }]);
});

test('a publish job with an invalid key fails with a next step, and the app checks the account again', async () => {
  const desktop = await openSignedIn(server());
  desktop.proxy.trouble = () => ({ status: 401 });
  const id = await desktop.dropSite();
  const { state } = await desktop.until(id, 'failed');
  expect(state.problem).toMatchObject({ kind: 'signed-out', next: 'Sign in again under Settings.' });
  await expect
    .poll(() => desktop.emitted.findLast(({ name }) => name === 'session')?.data)
    .toMatchObject({ servers: [{ signIn: { is: 'refused' } }] });
});

test('a publish job under a name that another account uses fails, and publishes nothing', async () => {
  const desktop = await openSignedIn(server());
  const { key } = await server().account();
  await server().api('/domains/held.localhost', { method: 'PUT', key, json: {} });
  const id = await desktop.dropSite(undefined, { domain: 'held' });
  const { problem } = (await desktop.until(id, 'failed')).state;
  expect(problem.message).toContain('this name, or one above it, belongs to another account.');
  expect(await desktop.deployments()).toEqual([]);
});

test('a publish job that reaches the cap of domains fails, and publishes nothing', async () => {
  const desktop = await openSignedIn(server(), 'free');
  for (const name of ['cap-1', 'cap-2', 'cap-3', 'cap-4', 'cap-5']) await desktop.ask('putDomain', { domain: name });
  const id = await desktop.dropSite(undefined, { domain: 'cap-6' });
  const { problem } = (await desktop.until(id, 'failed')).state;
  expect(problem.message).toContain('The plan allows 5 platform domains');
  expect(await desktop.deployments()).toEqual([]);
});

test('a publish job without a password keeps the password of its domain', async () => {
  const desktop = await openSignedIn(server());
  const domain = 'locked-shop';
  const publish = async (password?: string) =>
    (await desktop.until(await desktop.dropSite(undefined, { domain, ...(password && { password }) }), 'published'))
      .state;
  await publish('open sesame');
  expect(await publish()).toMatchObject({ published: { password: true } });
});

test('a publish job with a file above a limit fails before anything is sent, and names the file and a next step (desktop §8.19)', async () => {
  const desktop = await openSignedIn(server(), 'free');
  const tooLarge = await desktop.dropSite(makeSite({ 'index.html': PAGE, 'film.mp4': randomlyFilled(21 * 1024 ** 2) }));
  const { state } = await desktop.until(tooLarge, 'failed');
  expect(state.problem).toEqual({
    kind: 'refused',
    message: 'film.mp4 is too large. The limit is 21 MB for each file.',
    next: 'Make film.mp4 smaller, exclude it in a .berthignore file, or choose a larger plan.',
    file: 'film.mp4',
  });
  const manyFiles = Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`${i}.txt`, '']));
  const tooMany = await desktop.dropSite(makeSite({ 'index.html': PAGE, ...manyFiles }));
  expect((await desktop.until(tooMany, 'failed')).state.problem.message).toBe(
    'The site has too many files. The limit is 1,000 files.',
  );
  expect(desktop.proxy.contents).toEqual([]);
});

test('a drop with an unknown or used grant is refused, and the other grants stay valid (desktop §6)', async () => {
  const desktop = await openSignedIn(server());
  const [good] = await desktop.backend.give([makeSite()]);
  const grants = [good!.grant, 'f'.repeat(32)];
  await expect(desktop.ask('publish', { grants })).rejects.toMatchObject({ kind: 'refused' });
  expect(await desktop.publishings()).toEqual([]);
  const { publishings } = await desktop.ask('publish', { grants: [good!.grant] });
  await desktop.published(publishings[0]!);
  await expect(desktop.ask('publish', { grants: [good!.grant] })).rejects.toMatchObject({ kind: 'refused' });
});

test('a drop with a name is refused before anything starts if the user has no account or drops several folders', async () => {
  const desktop = await openProxied(server());
  await expect(desktop.dropSite(undefined, { domain: 'blog' })).rejects.toMatchObject({ kind: 'signed-out' });
  await desktop.ask('signIn', { key: (await server().account()).key });
  const folders = [makeSite({ 'index.html': '1' }), makeSite({ 'index.html': '2' })];
  await expect(desktop.drop(folders, { domain: 'blog' })).rejects.toThrow('one folder at a time');
  expect(await desktop.publishings()).toEqual([]);
  expect(desktop.proxy.passed.filter(({ path }) => path.includes('deployments'))).toEqual([]);
});

test('no password is written to disk, so a publish job with a password does not resume after a restart (desktop §6)', async () => {
  const desktop = await openSignedIn(server());
  desktop.proxy.trouble = () => ({ cutAfter: 0 });
  const password = 'correct horse battery';
  const id = await desktop.dropSite(undefined, { password });
  await desktop.untilPhase(id, 'retrying');
  await desktop.backend.close();
  for (const dir of [desktop.dataDir, desktop.cacheDir])
    for (const name of readdirSync(dir, { recursive: true, withFileTypes: true })) {
      if (!name.isFile()) continue;
      const text = readFileSync(join(name.parentPath, name.name), 'utf8');
      expect(text).not.toContain(password);
      expect(text).not.toContain(desktop.key);
    }
  expect(readFileSync(join(desktop.dataDir, 'publishings.json'), 'utf8')).toContain(id);
  expect(statSync(join(desktop.dataDir, 'publishings.json')).mode & 0o777).toBe(0o600);
  expect(JSON.stringify(desktop.emitted)).not.toContain(password);
  desktop.proxy.trouble = () => undefined;
  const restartedDesktop = await desktop.restart();
  const { problem } = (await restartedDesktop.until(id, 'failed')).state;
  expect(problem.message).toBe('Publishing was interrupted, and the password is not stored. Drop the item again.');
  await expect(restartedDesktop.ask('retryPublishing', { id })).rejects.toThrow('Drop the item again');
  expect(await desktop.deployments()).toEqual([]);
});

test('a publish job that began signed in fails after a sign-out instead of being published anonymously', async () => {
  const desktop = await openSignedIn(server());
  const { letGo } = desktop.hold((path) => path.includes('deployments'));
  const firstJob = await desktop.dropSite(makeSite({ 'index.html': '1' }));
  const secondJob = await desktop.dropSite(makeSite({ 'index.html': '2' }));
  await desktop.until(firstJob, 'working');
  await desktop.ask('signOut', undefined);
  letGo();
  const { state } = await desktop.until(secondJob, 'failed');
  expect(state.problem).toMatchObject({ kind: 'signed-out', message: expect.stringContaining('no longer signed in') });
});
