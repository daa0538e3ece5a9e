import { useServer } from '@berth/testing/use-server';
import { expect, it, onTestFinished } from 'vitest';
import type { WatchFolderInput } from '../../src/watch/input.ts';
import { listVersions } from '../../src/watch/versions.ts';
import { makeWorld } from '../deploy/worlds.ts';
import { writeFiles } from '../folder/folders.ts';
import { startWatch } from './running-watch.ts';

const server = useServer();

/** Starts a watch of a folder with one page, whose watcher never reports changes. */
async function startUnnotifiedWatch() {
  const { client, folder, cacheDir } = await makeWorld(server(), { 'index.html': 'first' });
  const input: WatchFolderInput = { folder, client, domain: `n${crypto.randomUUID().slice(0, 12)}` };
  const nudges = new EventTarget();
  const watch = startWatch(input, { cacheDir, nudges }, { createWatcher: async () => ({ close: async () => {} }) });
  onTestFinished(() => watch.stop());
  return { input, write: (text: string) => writeFiles(folder, { 'index.html': text }), nudges, watch };
}

it('a change without a notification is published after a nudge (D7)', async () => {
  const { write, nudges, watch } = await startUnnotifiedWatch();
  await watch.next('published');
  write('second, unnotified');
  nudges.dispatchEvent(new Event('look'));
  const { url } = await watch.next('published');
  expect((await server().visit(url)).text).toBe('second, unnotified');
});

it('a publish request is answered with unchanged if nothing is new (D4)', async () => {
  const { nudges, watch } = await startUnnotifiedWatch();
  await watch.next('published');
  nudges.dispatchEvent(new Event('publish'));
  await watch.next('unchanged');
  expect(watch.count('published')).toBe(1);
});

it('a watch ignores nudges after it has ended', async () => {
  const { nudges, watch } = await startUnnotifiedWatch();
  await watch.next('published');
  await watch.stop();
  const count = watch.events.length;
  nudges.dispatchEvent(new Event('publish'));
  expect(watch.events).toHaveLength(count);
});

it('the versions of a watched folder are only its own deployments, newest first', async () => {
  const { input, write, nudges, watch } = await startUnnotifiedWatch();
  const first = await watch.next('published');
  write('second');
  nudges.dispatchEvent(new Event('look'));
  const second = await watch.next('published');
  await server().publish({ 'index.html': 'not from the watch' }, { key: input.client.key });
  const versions = await listVersions(input);
  expect(versions.map(({ deployment }) => deployment)).toEqual(
    [second, first].map(({ deployment }) => deployment.deployment),
  );
  expect(await listVersions({ ...input, domain: 'another' })).toEqual([]);
});
