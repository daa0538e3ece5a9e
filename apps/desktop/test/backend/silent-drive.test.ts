import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { useServer } from '@berth/testing/use-server';
import { expect, test, vi } from 'vitest';
import { makeSite, openSignedIn } from './desktop.ts';
import { makeHome, writeContents } from '../harness/app/folders.ts';
import { silence } from './silent-drive.ts';
import { eventually, openSignedInWorld, openWatched, siteName, watchedId } from './watch-world.ts';

const server = useServer();

const SILENT = { kind: 'folder', message: expect.stringContaining('does not answer') };

test('watched folders on an unresponsive drive block only one thread, but no other watched folder and no quit (desktop §5)', async () => {
  const { world } = await openSignedInWorld(server());
  const all = [];
  for (const name of ['a', 'b', 'c', 'd', 'e']) all.push(await world.watchNew(`nas/${name}`, name));
  const stuck = all[0]!;
  const other = await world.watchNew('disk/other', 'one');
  await world.close();
  const drive = silence(join(world.home, 'nas'));
  await world.reopen();
  await world.until(other.id, 'live');
  world.build('disk/other', { 'index.html': 'two' });
  await world.untilPublished(other.id, 'two');
  expect(world.folder(stuck.id)).toMatchObject({ url: stuck.url, live: stuck.live, state: { is: 'starting' } });
  expect(drive.asked).toHaveLength(1);

  const third = await world.watchNew('disk/third', 'three');
  expect((await server().visit(third.url!)).text).toBe('three');

  // The user can still pause and resume the folder.
  await world.handlers.pauseFolder({ id: stuck.id });
  await world.until(stuck.id, 'paused');
  await world.handlers.resumeFolder({ id: stuck.id });
  await world.until(stuck.id, 'starting');
  await world.close();
  expect(drive.blocked).toEqual([]);

  drive.comeBack();
  await world.reopen();
  for (const { id } of all) await world.until(id, 'live');
});

test('the user can pause a watched folder whose drive stopped responding', async () => {
  const { world, id, path, live } = await openWatched(server());
  const more = world.build('more', { 'more.html': 'more' });
  const drive = silence(path);
  // The scan and the file watcher, which has reported a change, both wait for the drive.
  renameSync(join(more, 'more.html'), join(path, 'more.html'));
  world.folders.onWake();
  await eventually(() => {
    expect(drive.asked).toContain(`stat ${path}`);
    expect(drive.asked.some((question) => !question.startsWith('stat '))).toBe(true);
  });
  await world.handlers.pauseFolder({ id });
  expect(await world.until(id, 'paused')).toMatchObject({ live });
  expect(drive.blocked).toEqual([]);
});

test('a drop on an unresponsive drive stays queued, and the app still starts, shows its other items, and quits', async () => {
  const desktop = await openSignedIn(server());
  const notes = makeSite({ 'notes.txt': 'all of it' });
  const question = await desktop.dropSite(notes);
  await desktop.until(question, 'asking');
  const { id: fine } = await desktop.publish();
  await desktop.backend.close();

  const drive = silence(notes);
  const restarted = await desktop.restart();
  expect((await restarted.find(fine)).state.is).toBe('published');
  expect((await restarted.find(question)).state).toEqual({ is: 'queued' });
  await vi.waitFor(() => expect(drive.asked).not.toEqual([]));
  restarted.backend.onWake();
  await restarted.ask('cancelPublishing', { id: question });
  await vi.waitFor(() =>
    expect(restarted.lists().at(-1)).toMatchObject([{ id: fine }, { state: { is: 'cancelled' } }]),
  );
  await restarted.backend.close();
  expect(drive.blocked).toEqual([]);
});

test('an unfinished publishing on an unresponsive drive fails and does not block the queue', async () => {
  const desktop = await openSignedIn(server());
  const folder = makeSite();
  const { letGo } = desktop.hold();
  const stuck = await desktop.dropSite(folder);
  await desktop.until(stuck, 'working');
  await desktop.backend.close();
  letGo();

  const drive = silence(folder);
  const restarted = await desktop.restart();
  const next = await restarted.dropSite();
  expect((await restarted.until(stuck, 'failed')).state.problem).toMatchObject(SILENT);
  await restarted.published(next);
  expect(drive.blocked).toEqual([]);

  drive.comeBack();
  await restarted.ask('retryPublishing', { id: stuck });
  await restarted.published(stuck);
});

test('a drop on an unresponsive drive is listed immediately, and a retry works once the drive is back (B9)', async () => {
  const desktop = await openSignedIn(server());
  const away = makeSite({ 'index.html': 'away' }, 'away');
  const responsiveFolder = makeSite({ 'index.html': 'here' }, 'here');
  const drive = silence(away);
  const granted = await desktop.backend.give([away, responsiveFolder, join(away, 'index.html')]);
  const kinds = granted.map(({ name, kind }) => `${name}: ${kind}`);
  expect(kinds).toEqual(['away: unknown', 'here: folder', 'index.html: unknown']);
  const publishing = desktop.ask('publish', { grants: granted.map(({ grant }) => grant) });
  const listed = expect.arrayContaining([expect.objectContaining({ name: 'away' })]);
  await vi.waitFor(() => expect(desktop.lists().at(-1)).toEqual(listed));
  await publishing;
  const ids = new Map((await desktop.publishings()).map(({ name, id }) => [name, id]));
  const [stuck, file] = [ids.get('away')!, ids.get('index.html')!];
  await desktop.published(ids.get('here')!);
  for (const id of [stuck, file]) expect((await desktop.until(id, 'failed')).state.problem).toMatchObject(SILENT);

  drive.comeBack();
  for (const id of [stuck, file]) await desktop.ask('retryPublishing', { id });
  expect((await server().visit((await desktop.published(stuck)).url)).text).toBe('away');
  await desktop.published(file);
  expect(await desktop.find(file)).toMatchObject({ kind: 'files' });
});

test('checking published folders on an unresponsive drive blocks one thread, and other folders are still found (B2)', async () => {
  const desktop = await openSignedIn(server());
  const nas = makeHome();
  const stuck = ['a', 'b', 'c', 'd', 'e'].map((name) => join(nas, name));
  for (const path of stuck) writeContents(path, { 'index.html': path });
  const responsiveFolder = makeSite(undefined, 'here');
  // The newest publish job is checked first, so the folders on the silent drive are checked before the other folder.
  for (const path of [responsiveFolder, ...stuck]) await desktop.publish(path);
  await desktop.backend.close();
  const drive = silence(nas);
  const restarted = await desktop.restart();
  const watchable = async () => (await restarted.publishings()).filter((one) => one.watchable).map(({ name }) => name);
  await vi.waitFor(async () => expect(await watchable()).toEqual(['here']));
  expect(drive.asked).toHaveLength(1);
  drive.comeBack();
  await vi.waitFor(
    async () => {
      restarted.backend.onWake();
      expect(await watchable()).toHaveLength(6);
    },
    { timeout: 10_000 },
  );
});

test('a folder on an unresponsive drive does not block watching, changing or locating other folders (B3)', async () => {
  const { world } = await openSignedInWorld(server());
  const remainingFolder = await world.watchNew('disk/kept', 'kept');
  const moved = await world.grant(world.build('disk/moved', { 'index.html': 'moved' }));
  const other = await world.grant(world.build('disk/other', { 'index.html': 'other' }));
  const away = world.build('nas/away', { 'index.html': 'away' });
  const grant = await world.grant(away);
  const drive = silence(away);
  const { handlers } = world;
  let isRefused = false;
  const stuck = handlers.watch({ of: { grant }, domain: siteName(), labels: [] }).catch((thrown: unknown) => {
    isRefused = true;
    return thrown;
  });
  watchedId(await handlers.watch({ of: { grant: other }, domain: siteName(), labels: [] }));
  await handlers.changeFolder({ id: remainingFolder.id, labels: ['notes'] });
  expect(await handlers.locateFolder({ id: remainingFolder.id, grant: moved })).toEqual({ is: 'located' });
  expect(isRefused).toBe(false);
  expect(await stuck).toMatchObject(SILENT);

  drive.comeBack();
  // The grant is still valid.
  await vi.waitFor(async () => watchedId(await handlers.watch({ of: { grant }, domain: siteName(), labels: [] })));
});
