import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useServer } from '@berth/testing/use-server';
import { expect, test } from 'vitest';
import { randomlyFilled, makeSite, openSignedIn, PAGE, SLOW_RETRIES } from './desktop.ts';

const server = useServer();

test('files that are dropped together are published as one site, and their copies are removed', async () => {
  const desktop = await openSignedIn(server());
  const folder = makeSite({
    'index.html': PAGE,
    'style.css': 'body{}',
    'photo.jpg': randomlyFilled(200_000),
    'no.txt': 'left',
  });
  const [id = ''] = await desktop.drop(['index.html', 'style.css', 'photo.jpg'].map((name) => join(folder, name)));
  const { url, files } = await desktop.published(id);
  expect(files).toBe(3);
  expect((await server().visit(url)).text).toBe(PAGE);
  expect((await server().visit(url, '/photo.jpg')).bytes).toEqual(readFileSync(join(folder, 'photo.jpg')));
  expect(await desktop.find(id)).toMatchObject({ name: '3 files', kind: 'files', watchable: false });
  await expect.poll(() => desktop.staged()).toEqual([]);
});

test('a single dropped page becomes the front page; any other single file gets a link to itself', async () => {
  const desktop = await openSignedIn(server());
  const folder = makeSite({ 'poem.html': PAGE, 'a photo.jpg': 'pixels' });
  const page = await desktop.publish(join(folder, 'poem.html'));
  expect((await server().visit(page.url)).text).toBe(PAGE);
  const { url } = await desktop.publish(join(folder, 'a photo.jpg'));
  expect(new URL(url).pathname).toBe('/a%20photo.jpg');
  expect((await server().visit(url, new URL(url).pathname)).text).toBe('pixels');
});

test('a publish job resumes from the copies of dropped files after a restart, even if the files were deleted', async () => {
  const desktop = await openSignedIn(server());
  desktop.proxy.trouble = () => ({ cutAfter: 0 });
  const folder = makeSite({ 'index.html': PAGE, 'a.txt': 'a' });
  const [id = ''] = await desktop.drop([join(folder, 'index.html'), join(folder, 'a.txt')]);
  await desktop.untilPhase(id, 'retrying');
  await desktop.backend.close();
  rmSync(folder, { recursive: true });
  desktop.proxy.trouble = () => undefined;
  expect(desktop.staged()).toEqual([id]);
  expect(statSync(join(desktop.cacheDir, 'staging', id)).mode & 0o777).toBe(0o700);
  const restartedDesktop = await desktop.restart();
  expect((await server().visit((await restartedDesktop.published(id)).url, '/a.txt')).text).toBe('a');
  await expect.poll(() => desktop.staged()).toEqual([]);
});

test('cancelling removes the copies of dropped files, and a retry copies the files again', async () => {
  const desktop = await openSignedIn(server(), 'scale', SLOW_RETRIES);
  desktop.proxy.trouble = () => ({ cutAfter: 0 });
  const folder = makeSite({ 'index.html': PAGE, 'a.txt': 'before' });
  const [id = ''] = await desktop.drop([join(folder, 'index.html'), join(folder, 'a.txt')]);
  await desktop.untilPhase(id, 'retrying');
  expect(desktop.staged()).toEqual([id]);
  await desktop.ask('cancelPublishing', { id });
  expect(desktop.staged()).toEqual([]);

  desktop.proxy.trouble = () => undefined;
  writeFileSync(join(folder, 'a.txt'), 'after');
  await desktop.ask('retryPublishing', { id });
  expect((await server().visit((await desktop.published(id)).url, '/a.txt')).text).toBe('after');
});

test('dropped files with the same name are refused with a reason, and nothing is published', async () => {
  const desktop = await openSignedIn(server());
  const [one, two] = [makeSite({ 'a.html': '1' }), makeSite({ 'A.html': '2' })];
  await expect(desktop.drop([join(one, 'a.html'), join(two, 'A.html')])).rejects.toMatchObject({
    kind: 'folder',
    message: expect.stringContaining('Two of the files are named A.html'),
  });
  expect(await desktop.publishings()).toEqual([]);
});

test('a publish job whose file was deleted while queued fails with the name of the file and leaves no copy', async () => {
  const desktop = await openSignedIn(server());
  const { letGo } = desktop.hold();
  const firstJob = await desktop.dropSite();
  await desktop.until(firstJob, 'working');
  const folder = makeSite({ 'index.html': PAGE, 'a.txt': 'a' });
  const [id = ''] = await desktop.drop([join(folder, 'index.html'), join(folder, 'a.txt')]);
  rmSync(join(folder, 'a.txt'));
  letGo();
  const { state } = await desktop.until(id, 'failed');
  expect(state.problem).toMatchObject({ kind: 'folder', message: 'a.txt: the file no longer exists.', file: 'a.txt' });
  await expect.poll(() => desktop.staged()).toEqual([]);
});

test('a question is asked again after a restart, and the folder is published once the user confirms', async () => {
  const desktop = await openSignedIn(server());
  const id = await desktop.dropSite(makeSite({ 'notes.txt': 'all of it' }));
  await desktop.until(id, 'asking');
  const restartedDesktop = await desktop.restart();
  const { question } = (await restartedDesktop.until(id, 'asking')).state;
  expect(question).toEqual({ about: 'no-front-page', suggestions: [] });
  await restartedDesktop.ask('answerPublishing', { id, instead: null });
  expect((await server().visit((await restartedDesktop.published(id)).url, '/notes.txt')).text).toBe('all of it');
});
