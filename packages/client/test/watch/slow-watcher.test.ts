import { useServer } from '@berth/testing/use-server';
import { expect, it } from 'vitest';
import type { WatcherEvents } from '../../src/watch/watcher.ts';
import { makeWorld } from '../deploy/worlds.ts';
import { writeFiles } from '../folder/folders.ts';
import { startWatch } from './running-watch.ts';

const server = useServer();

it('a watch publishes what it missed while its watcher is still starting, and replaces that watcher once it has', async () => {
  const { client, folder, cacheDir } = await makeWorld(server(), { 'index.html': 'one' });
  const started = Promise.withResolvers<void>();
  const replaced = Promise.withResolvers<void>();
  let closed = 0;
  let listeners = 0;
  const slow = {
    async createWatcher(_folder: string, events: WatcherEvents) {
      listeners += 1;
      if (listeners === 2) replaced.resolve();
      events.changed();
      await started.promise;
      return { close: async () => void (closed += 1) };
    },
  };
  const watched = startWatch({ folder, client }, { cacheDir, rule: { lookEveryMs: 50, quietMs: 20 } }, slow);
  await watched.next('published');
  writeFiles(folder, { 'index.html': 'two' });
  const { url } = await watched.next('published');
  expect((await server().visit(url)).text).toBe('two');
  expect([listeners, closed]).toEqual([1, 0]);
  started.resolve();
  await replaced.promise;
  expect(closed).toBeGreaterThan(0);
  await watched.stop();
  expect(closed).toBe(listeners);
});
