import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { useServer } from '@berth/api/testing/vitest';
import { expect, test, vi } from 'vitest';
import { listsOf, makeSite, openDesktop } from './desktop.ts';
import { openSignedIn, PAGE } from './publishing-world.ts';
import { silence } from './silent-drive.ts';
import { eventually, openWorld } from './watch-world.ts';

const server = useServer();

/** Starts an app again that was closed. */
const reopen = ({ proxy, native, dataDir, cacheDir }: Awaited<ReturnType<typeof openSignedIn>>) =>
  openDesktop({ server: proxy.url, native, dataDir, cacheDir });

const nameOf = () => `site-${crypto.randomUUID().slice(0, 8)}.localhost`;

test('a watched folder whose drive never answers keeps no other one from being watched, and the app from no end (desktop §5)', async () => {
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

  // Nor does it keep people from saying what is to become of it.
  await world.folders.handlers.pauseFolder({ id: stuck.id });
  await world.until(stuck.id, 'paused');
  await world.folders.handlers.resumeFolder({ id: stuck.id });
  await world.until(stuck.id, 'starting');
  await world.close();
  expect(drive.blocked).toEqual([]);
});

test('a drive that stops to answer while its folder is watched keeps nobody from leaving it', async () => {
  const world = await openWorld(server());
  await world.signIn();
  const { id, path, live } = await world.watch(world.build('dist', { 'index.html': 'one' }), nameOf());
  const more = world.build('more', { 'more.html': 'more' });
  const drive = silence(path);
  // Both wait for the drive: the look, and what listens, which heard of a change.
  renameSync(join(more, 'more.html'), join(path, 'more.html'));
  world.folders.awake();
  await eventually(() => {
    expect(drive.asked).toContain(`stat ${path}`);
    expect(drive.asked.some((question) => !question.startsWith('stat '))).toBe(true);
  });
  await world.folders.handlers.pauseFolder({ id });
  expect(await world.until(id, 'paused')).toMatchObject({ live });
  expect(drive.blocked).toEqual([]);
});

test('what was dropped from a drive that never answers waits, and the app starts, shows the rest, and ends', async () => {
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
  again.backend.awake();
  await again.ask('cancelPublishing', { id: question! });
  await vi.waitFor(() => expect(listsOf(again).at(-1)).toMatchObject([{ id: fine }, { state: { is: 'cancelled' } }]));
  await again.backend.close();
  expect(drive.blocked).toEqual([]);
});

test('what is unfinished on a drive that never answers is given up at once', async () => {
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
  await again.until(stuck!, 'working');
  const [next] = await again.drop([makeSite({ 'index.html': PAGE })]);
  await again.ask('cancelPublishing', { id: stuck! });
  await again.published(next!);
  expect(drive.blocked).toEqual([]);
});
