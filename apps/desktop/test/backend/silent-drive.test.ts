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
  const watchedFolders = [];
  for (const name of ['a', 'b', 'c', 'd', 'e']) watchedFolders.push(await world.watchNew(`nas/${name}`, name));
  const stuckFolder = watchedFolders[0]!;
  const otherFolder = await world.watchNew('disk/other', 'one');
  await world.close();
  const silentDrive = silence(join(world.home, 'nas'));
  await world.reopen();
  await world.until(otherFolder.id, 'live');
  world.build('disk/other', { 'index.html': 'two' });
  await world.untilPublished(otherFolder.id, 'two');
  expect(world.folder(stuckFolder.id)).toMatchObject({
    url: stuckFolder.url,
    live: stuckFolder.live,
    state: { is: 'starting' },
  });
  expect(silentDrive.asked).toHaveLength(1);

  const thirdFolder = await world.watchNew('disk/third', 'three');
  expect((await server().visit(thirdFolder.url!)).text).toBe('three');

  // The user can still pause and resume the folder.
  await world.handlers.pauseFolder({ id: stuckFolder.id });
  await world.until(stuckFolder.id, 'paused');
  await world.handlers.resumeFolder({ id: stuckFolder.id });
  await world.until(stuckFolder.id, 'starting');
  await world.close();
  expect(silentDrive.blocked).toEqual([]);

  silentDrive.comeBack();
  await world.reopen();
  for (const { id } of watchedFolders) await world.until(id, 'live');
});

test('the user can pause a watched folder whose drive stopped responding', async () => {
  const { world, id, path, live } = await openWatched(server());
  const addedFolder = world.build('more', { 'more.html': 'more' });
  const silentDrive = silence(path);
  // The scan and the file watcher, which has reported a change, both wait for the drive.
  renameSync(join(addedFolder, 'more.html'), join(path, 'more.html'));
  world.folders.onWake();
  await eventually(() => {
    expect(silentDrive.asked).toContain(`stat ${path}`);
    expect(silentDrive.asked.some((question) => !question.startsWith('stat '))).toBe(true);
  });
  await world.handlers.pauseFolder({ id });
  expect(await world.until(id, 'paused')).toMatchObject({ live });
  expect(silentDrive.blocked).toEqual([]);
});

test('a drop on an unresponsive drive stays queued, and the app still starts, shows its other items, and quits', async () => {
  const desktop = await openSignedIn(server());
  const notes = makeSite({ 'notes.txt': 'all of it' });
  const question = await desktop.dropSite(notes);
  await desktop.until(question, 'asking');
  const { id: fine } = await desktop.publish();
  await desktop.backend.close();

  const silentDrive = silence(notes);
  const restartedDesktop = await desktop.restart();
  expect((await restartedDesktop.find(fine)).state.is).toBe('published');
  expect((await restartedDesktop.find(question)).state).toEqual({ is: 'queued' });
  await vi.waitFor(() => expect(silentDrive.asked).not.toEqual([]));
  restartedDesktop.backend.onWake();
  await restartedDesktop.ask('cancelPublishing', { id: question });
  await vi.waitFor(() =>
    expect(restartedDesktop.lists().at(-1)).toMatchObject([{ id: fine }, { state: { is: 'cancelled' } }]),
  );
  await restartedDesktop.backend.close();
  expect(silentDrive.blocked).toEqual([]);
});

test('an unfinished publishing on an unresponsive drive fails and does not block the queue', async () => {
  const desktop = await openSignedIn(server());
  const folder = makeSite();
  const { letGo } = desktop.hold();
  const stuckJob = await desktop.dropSite(folder);
  await desktop.until(stuckJob, 'working');
  await desktop.backend.close();
  letGo();

  const silentDrive = silence(folder);
  const restartedDesktop = await desktop.restart();
  const nextJob = await restartedDesktop.dropSite();
  expect((await restartedDesktop.until(stuckJob, 'failed')).state.problem).toMatchObject(SILENT);
  await restartedDesktop.published(nextJob);
  expect(silentDrive.blocked).toEqual([]);

  silentDrive.comeBack();
  await restartedDesktop.ask('retryPublishing', { id: stuckJob });
  await restartedDesktop.published(stuckJob);
});

test('a drop on an unresponsive drive is listed immediately, and a retry works once the drive is back (B9)', async () => {
  const desktop = await openSignedIn(server());
  const silentFolder = makeSite({ 'index.html': 'away' }, 'away');
  const responsiveFolder = makeSite({ 'index.html': 'here' }, 'here');
  const silentDrive = silence(silentFolder);
  const grantedItems = await desktop.backend.give([silentFolder, responsiveFolder, join(silentFolder, 'index.html')]);
  const kinds = grantedItems.map(({ name, kind }) => `${name}: ${kind}`);
  expect(kinds).toEqual(['away: unknown', 'here: folder', 'index.html: unknown']);
  const publishing = desktop.ask('publish', { grants: grantedItems.map(({ grant }) => grant) });
  const listWithFolder = expect.arrayContaining([expect.objectContaining({ name: 'away' })]);
  await vi.waitFor(() => expect(desktop.lists().at(-1)).toEqual(listWithFolder));
  await publishing;
  const ids = new Map((await desktop.publishings()).map(({ name, id }) => [name, id]));
  const [stuck, file] = [ids.get('away')!, ids.get('index.html')!];
  await desktop.published(ids.get('here')!);
  for (const id of [stuck, file]) expect((await desktop.until(id, 'failed')).state.problem).toMatchObject(SILENT);

  silentDrive.comeBack();
  for (const id of [stuck, file]) await desktop.ask('retryPublishing', { id });
  expect((await server().visit((await desktop.published(stuck)).url)).text).toBe('away');
  await desktop.published(file);
  expect(await desktop.find(file)).toMatchObject({ kind: 'files' });
});

test('checking published folders on an unresponsive drive blocks one thread, and other folders are still found (B2)', async () => {
  const desktop = await openSignedIn(server());
  const nas = makeHome();
  const stuckPaths = ['a', 'b', 'c', 'd', 'e'].map((name) => join(nas, name));
  for (const path of stuckPaths) writeContents(path, { 'index.html': path });
  const responsiveFolder = makeSite(undefined, 'here');
  // The newest publish job is checked first, so the folders on the silent drive are checked before the other folder.
  for (const path of [responsiveFolder, ...stuckPaths]) await desktop.publish(path);
  await desktop.backend.close();
  const silentDrive = silence(nas);
  const restartedDesktop = await desktop.restart();
  const watchableNames = async () =>
    (await restartedDesktop.publishings()).filter((one) => one.watchable).map(({ name }) => name);
  await vi.waitFor(async () => expect(await watchableNames()).toEqual(['here']));
  expect(silentDrive.asked).toHaveLength(1);
  silentDrive.comeBack();
  await vi.waitFor(
    async () => {
      restartedDesktop.backend.onWake();
      expect(await watchableNames()).toHaveLength(6);
    },
    { timeout: 10_000 },
  );
});

test('a folder on an unresponsive drive does not block watching, changing or locating other folders (B3)', async () => {
  const { world } = await openSignedInWorld(server());
  const remainingFolder = await world.watchNew('disk/kept', 'kept');
  const movedGrant = await world.grant(world.build('disk/moved', { 'index.html': 'moved' }));
  const otherGrant = await world.grant(world.build('disk/other', { 'index.html': 'other' }));
  const silentFolder = world.build('nas/away', { 'index.html': 'away' });
  const silentGrant = await world.grant(silentFolder);
  const silentDrive = silence(silentFolder);
  const { handlers } = world;
  let isRefused = false;
  const stuckWatch = handlers
    .watch({ of: { grant: silentGrant }, domain: siteName(), labels: [] })
    .catch((thrown: unknown) => {
      isRefused = true;
      return thrown;
    });
  watchedId(await handlers.watch({ of: { grant: otherGrant }, domain: siteName(), labels: [] }));
  await handlers.changeFolder({ id: remainingFolder.id, labels: ['notes'] });
  expect(await handlers.locateFolder({ id: remainingFolder.id, grant: movedGrant })).toEqual({ is: 'located' });
  expect(isRefused).toBe(false);
  expect(await stuckWatch).toMatchObject(SILENT);

  silentDrive.comeBack();
  // The grant is still valid.
  await vi.waitFor(async () =>
    watchedId(await handlers.watch({ of: { grant: silentGrant }, domain: siteName(), labels: [] })),
  );
});
