import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@berth/client';
import { useServer } from '@berth/testing/use-server';
import { expect, test } from 'vitest';
import { makeSite } from './desktop.ts';
import { big, open, openSignedIn, PAGE } from './publishing-world.ts';

const server = useServer();

test('reports a key that is no longer valid, and checks the account again', async () => {
  const desktop = await openSignedIn(server());
  desktop.proxy.trouble = () => ({ status: 401 });
  const [id] = await desktop.drop([makeSite({ 'index.html': PAGE })]);
  const { state } = await desktop.until(id!, 'failed');
  expect(state.problem).toMatchObject({ kind: 'signed-out', next: 'Sign in again under Settings.' });
  await expect
    .poll(() => desktop.emitted.findLast(({ name }) => name === 'session')?.data)
    .toMatchObject({ servers: [{ signIn: { is: 'refused' } }] });
});

test('reports an unavailable name with the link of the live deployment, and a retry makes no second deployment', async () => {
  const desktop = await openSignedIn(server());
  const { key } = await server().account();
  const held = await server().publish({ 'index.html': 'theirs' }, { key });
  const otherClient = createClient({ server: `http://localhost:${server().port}`, key }).api;
  await otherClient.domains.put.mutate({ domain: 'held.localhost', deployment: held.deployment });
  const [id] = await desktop.drop([makeSite({ 'index.html': PAGE })], { domain: 'held' });
  const { problem } = (await desktop.until(id!, 'failed')).state;
  const [{ url, deployment } = { url: '', deployment: '' }] = await desktop.deployments();
  expect(problem.message).toContain(`The site is live at ${url}`);
  await desktop.ask('retryPublishing', { id: id! });
  await desktop.until(id!, 'failed');
  expect(await desktop.deployments()).toMatchObject([{ deployment }]);
  expect((await server().visit('http://held.localhost', '/')).text).toBe('theirs');
});

test('names the file that exceeds a limit and what to do, before anything is sent (desktop §8.19)', async () => {
  const desktop = await openSignedIn(server(), 'free');
  const [tooLarge] = await desktop.drop([makeSite({ 'index.html': PAGE, 'film.mp4': big(21 * 1024 ** 2) })]);
  const { state } = await desktop.until(tooLarge!, 'failed');
  expect(state.problem).toEqual({
    kind: 'refused',
    message: 'film.mp4 is too large. The limit is 21 MB for each file.',
    next: 'Make film.mp4 smaller, exclude it in a .berthignore file, or choose a larger plan.',
    file: 'film.mp4',
  });
  const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`${i}.txt`, '']));
  const [tooMany] = await desktop.drop([makeSite({ 'index.html': PAGE, ...many })]);
  expect((await desktop.until(tooMany!, 'failed')).state.problem.message).toBe(
    'The site has too many files. The limit is 1,000 files.',
  );
  expect(desktop.proxy.contents).toEqual([]);
});

test('refuses a drop with an unknown or used grant, and uses up none of the other grants (desktop §6)', async () => {
  const desktop = await openSignedIn(server());
  const [good] = await desktop.backend.give([makeSite({ 'index.html': PAGE })]);
  const grants = [good!.grant, 'f'.repeat(32)];
  await expect(desktop.ask('publish', { grants })).rejects.toMatchObject({ kind: 'refused' });
  expect((await desktop.ask('readState', undefined)).publishings).toEqual([]);
  const { publishings } = await desktop.ask('publish', { grants: [good!.grant] });
  await desktop.published(publishings[0]!);
  await expect(desktop.ask('publish', { grants: [good!.grant] })).rejects.toMatchObject({
    kind: 'refused',
  });
});

test('refuses a name without an account, or for several folders, before anything starts', async () => {
  const desktop = await open(server());
  await expect(desktop.drop([makeSite({ 'index.html': PAGE })], { domain: 'blog' })).rejects.toMatchObject({
    kind: 'signed-out',
  });
  await desktop.ask('signIn', { key: (await server().account()).key });
  const folders = [makeSite({ 'index.html': '1' }), makeSite({ 'index.html': '2' })];
  await expect(desktop.drop(folders, { domain: 'blog' })).rejects.toThrow('one folder at a time');
  expect((await desktop.ask('readState', undefined)).publishings).toEqual([]);
  expect(desktop.proxy.passed.filter(({ path }) => path.includes('deployments'))).toEqual([]);
});

test('never writes a password to disk, so a publishing that needs one does not resume after a quit (desktop §6)', async () => {
  const desktop = await openSignedIn(server());
  desktop.proxy.trouble = () => ({ cutAfter: 0 });
  const password = 'correct horse battery';
  const [id] = await desktop.drop([makeSite({ 'index.html': PAGE })], { password });
  await expect.poll(async () => (await desktop.find(id!)).state).toMatchObject({ progress: { phase: 'retrying' } });
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
  const again = await desktop.restart();
  const { state } = await again.until(id!, 'failed');
  expect(state.problem.message).toBe('Publishing was interrupted, and its password is not stored. Drop it again.');
  await expect(again.ask('retryPublishing', { id: id! })).rejects.toThrow('Drop it again');
  expect(await desktop.deployments()).toEqual([]);
});

test('does not publish anonymously after a sign-out if the publishing began signed in', async () => {
  const desktop = await openSignedIn(server());
  const gate = Promise.withResolvers<undefined>();
  desktop.proxy.trouble = (_req, path) => (path.includes('deployments') ? gate.promise : undefined);
  const [first] = await desktop.drop([makeSite({ 'index.html': '1' })]);
  const [second] = await desktop.drop([makeSite({ 'index.html': '2' })]);
  await desktop.until(first!, 'working');
  await desktop.ask('signOut', undefined);
  gate.resolve(undefined);
  const { state } = await desktop.until(second!, 'failed');
  expect(state.problem).toMatchObject({ kind: 'signed-out', message: expect.stringContaining('no longer signed in') });
});
