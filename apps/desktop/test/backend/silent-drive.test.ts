import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useServer } from '@berth/testing/use-server';
import { expect, test, vi } from 'vitest';
import { listsOf, makeDir, makeSite, openDesktop } from './desktop.ts';
import { openSignedIn, PAGE } from './publishing-world.ts';
import { silence } from './silent-drive.ts';
import { eventually, openWorld, watchedId } from './watch-world.ts';

const server = useServer();

/** Starts a closed app again. */
const reopen = ({ proxy, native, dataDir, cacheDir }: Awaited<ReturnType<typeof openSignedIn>>) =>
  openDesktop({ server: proxy.url, native, dataDir, cacheDir });

const SILENT = { kind: 'folder', message: expect.stringContaining('does not answer') };

const nameOf = () => `site-${crypto.randomUUID().slice(0, 8)}.localhost`;

test('a watched folder on an unresponsive drive blocks neither other watched folders nor quitting (desktop §5)', async () => {
  const world = await openWorld(server());
  await world.signIn();
  const stuck = await world.watch(world.build('nas/stuck', { 'index.html': 'stuck' }), nameOf());
  const other = await world.watch(world.build('disk/other', { 'index.html': 'one' }), nameOf());
  await world.close();
  const drive = silence(stuck.path);
  await world.reopen();
  await world.until(other.id, 'live');
  world.build('disk/other', { 'index.html': 'two' });
  await world.untilShown(other.url!, 'two');
  expect(world.folder(stuck.id)).toMatchObject({ url: stuck.url, live: stuck.live, state: { is: 'starting' } });
  expect(drive.asked).not.toEqual([]);

  const third = await world.watch(world.build('disk/third', { 'index.html': 'three' }), nameOf());
  expect((await server().visit(third.url!)).text).toBe('three');

  // The user can still pause and resume the folder.
  await world.folders.handlers.pauseFolder({ id: stuck.id });
  await world.until(stuck.id, 'paused');
  await world.folders.handlers.resumeFolder({ id: stuck.id });
  await world.until(stuck.id, 'starting');
  await world.close();
  expect(drive.blocked).toEqual([]);
});

test('all watched folders on one unresponsive drive block only one thread', async () => {
  const world = await openWorld(server());
  await world.signIn();
  const stuck = [];
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    stuck.push(await world.watch(world.build(`nas/${name}`, { 'index.html': name }), nameOf()));
  const other = await world.watch(world.build('disk/other', { 'index.html': 'one' }), nameOf());
  await world.close();
  const drive = silence(join(world.home, 'nas'));
  await world.reopen();
  await world.until(other.id, 'live');
  world.build('disk/other', { 'index.html': 'two' });
  await world.untilShown(other.url!, 'two');
  expect(drive.asked).toHaveLength(1);
  drive.comeBack();
  for (const { id } of stuck) await world.until(id, 'live');
});

test('can pause a watched folder whose drive stopped responding', async () => {
  const world = await openWorld(server());
  await world.signIn();
  const { id, path, live } = await world.watch(world.build('dist', { 'index.html': 'one' }), nameOf());
  const more = world.build('more', { 'more.html': 'more' });
  const drive = silence(path);
  // Both wait for the drive: the scan and the file watcher, which has reported a change.
  renameSync(join(more, 'more.html'), join(path, 'more.html'));
  world.folders.onWake();
  await eventually(() => {
    expect(drive.asked).toContain(`stat ${path}`);
    expect(drive.asked.some((question) => !question.startsWith('stat '))).toBe(true);
  });
  await world.folders.handlers.pauseFolder({ id });
  expect(await world.until(id, 'paused')).toMatchObject({ live });
  expect(drive.blocked).toEqual([]);
});

test('a drop on an unresponsive drive stays queued, and the app still starts, shows its other publishings, and quits', async () => {
  const desktop = await openSignedIn(server());
  const site = makeSite({ 'index.html': PAGE });
  const notes = makeSite({ 'notes.txt': 'all of it' });
  const [question] = await desktop.drop([notes]);
  await desktop.until(question!, 'asking');
  const [fine] = await desktop.drop([site]);
  await desktop.published(fine!);
  await desktop.backend.close();

  const drive = silence(notes);
  const again = await reopen(desktop);
  expect((await again.find(fine!)).state.is).toBe('published');
  expect((await again.find(question!)).state).toEqual({ is: 'queued' });
  await vi.waitFor(() => expect(drive.asked).not.toEqual([]));
  again.backend.onWake();
  await again.ask('cancelPublishing', { id: question! });
  await vi.waitFor(() => expect(listsOf(again).at(-1)).toMatchObject([{ id: fine }, { state: { is: 'cancelled' } }]));
  await again.backend.close();
  expect(drive.blocked).toEqual([]);
});

test('an unfinished publishing on an unresponsive drive fails and does not block the queue', async () => {
  const desktop = await openSignedIn(server());
  const folder = makeSite({ 'index.html': PAGE });
  const gate = Promise.withResolvers<undefined>();
  desktop.proxy.trouble = () => gate.promise;
  const [stuck] = await desktop.drop([folder]);
  await desktop.until(stuck!, 'working');
  await desktop.backend.close();
  desktop.proxy.trouble = () => undefined;
  gate.resolve(undefined);

  const drive = silence(folder);
  const again = await reopen(desktop);
  const [next] = await again.drop([makeSite({ 'index.html': PAGE })]);
  expect((await again.until(stuck!, 'failed')).state.problem).toMatchObject(SILENT);
  await again.published(next!);
  expect(drive.blocked).toEqual([]);

  drive.comeBack();
  await again.ask('retryPublishing', { id: stuck! });
  await again.published(stuck!);
});

test('lists a drop on an unresponsive drive immediately, and a retry works once the drive is back (B9)', async () => {
  const desktop = await openSignedIn(server());
  const away = makeSite({ 'index.html': 'away' }, 'away');
  const here = makeSite({ 'index.html': 'here' }, 'here');
  const drive = silence(away);
  const granted = await desktop.backend.give([away, here, join(away, 'index.html')]);
  expect(granted.map(({ name, kind }) => [name, kind])).toEqual([
    ['away', 'unknown'],
    ['here', 'folder'],
    ['index.html', 'unknown'],
  ]);
  const publishing = desktop.ask('publish', { grants: granted.map(({ grant }) => grant) });
  await vi.waitFor(() =>
    expect(
      listsOf(desktop)
        .at(-1)
        ?.map(({ name }) => name),
    ).toContain('away'),
  );
  const ids = (await publishing).publishings;
  const [stuck, file, fine] = await Promise.all(
    ['away', 'index.html', 'here'].map(async (name) => {
      const all = await Promise.all(ids.map((id) => desktop.find(id)));
      return all.find((one) => one.name === name)!.id;
    }),
  );
  await desktop.published(fine!);
  for (const id of [stuck!, file!])
    expect((await desktop.until(id, 'failed')).state.problem.message).toContain('does not answer');

  drive.comeBack();
  for (const id of [stuck!, file!]) await desktop.ask('retryPublishing', { id });
  const { url } = await desktop.published(stuck!);
  expect((await server().visit(url)).text).toBe('away');
  await desktop.published(file!);
  expect(await desktop.find(file!)).toMatchObject({ kind: 'files' });
});

test('published folders on one unresponsive drive block one thread, and other folders are still found (B2)', async () => {
  const desktop = await openSignedIn(server());
  const nas = makeDir();
  const stuck = ['a', 'b', 'c', 'd', 'e'].map((name) => {
    mkdirSync(join(nas, name));
    writeFileSync(join(nas, name, 'index.html'), name);
    return join(nas, name);
  });
  const here = makeSite({ 'index.html': PAGE }, 'here');
  // The newest publishing is checked first, so those on the unresponsive drive come before the other.
  for (const path of [here, ...stuck]) {
    const [id] = await desktop.drop([path]);
    await desktop.published(id!);
  }
  await desktop.backend.close();
  const drive = silence(nas);
  const again = await reopen(desktop);
  const watchable = async () =>
    (await again.ask('readState', undefined)).publishings.filter((one) => one.watchable).map(({ name }) => name);
  await vi.waitFor(async () => expect(await watchable()).toEqual(['here']));
  expect(drive.asked).toHaveLength(1);
  drive.comeBack();
  await vi.waitFor(
    async () => {
      again.backend.onWake();
      expect(await watchable()).toHaveLength(6);
    },
    { timeout: 10_000 },
  );
});

test('a folder on an unresponsive drive does not block watching, changing or locating others (B3)', async () => {
  const world = await openWorld(server());
  await world.signIn();
  const remainingFolder = await world.watch(world.build('disk/kept', { 'index.html': 'kept' }), nameOf());
  const moved = await world.grant(world.build('disk/moved', { 'index.html': 'moved' }));
  const other = await world.grant(world.build('disk/other', { 'index.html': 'other' }));
  const away = world.build('nas/away', { 'index.html': 'away' });
  const grant = await world.grant(away);
  const drive = silence(away);
  const { handlers } = world.folders;
  let isRefused = false;
  const stuck = handlers.watch({ of: { grant }, domain: nameOf(), labels: [] }).catch((thrown: unknown) => {
    isRefused = true;
    return thrown;
  });
  watchedId(await handlers.watch({ of: { grant: other }, domain: nameOf(), labels: [] }));
  await handlers.changeFolder({ id: remainingFolder.id, labels: ['notes'] });
  expect(await handlers.locateFolder({ id: remainingFolder.id, grant: moved })).toEqual({ is: 'located' });
  expect(isRefused).toBe(false);
  expect(await stuck).toMatchObject(SILENT);

  drive.comeBack();
  // The grant is still valid.
  await vi.waitFor(async () => watchedId(await handlers.watch({ of: { grant }, domain: nameOf(), labels: [] })));
});
