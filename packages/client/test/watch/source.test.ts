import { join } from 'node:path';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createClient } from '../../src/client.ts';
import { ClientError } from '../../src/errors.ts';
import type { WatchSource } from '../../src/watch/input.ts';
import type { WatcherEvents } from '../../src/watch/watcher.ts';
import { makeFolder, writeFiles } from '../folder/folders.ts';
import { startWatch } from './running-watch.ts';

const server = useServer();

describe('a watch of a folder that a source writes', () => {
  it('publishes only when the source is ready, and reports an unfit folder without scanning it again (D6)', async () => {
    let [failure, scans]: [ClientError | null, number] = [new ClientError('refused', 'The build failed'), 0];
    const events = Promise.withResolvers<WatcherEvents>();
    const source: WatchSource = {
      async watch(watcherEvents) {
        events.resolve(watcherEvents);
        return { close: async () => {} };
      },
      async ready() {
        scans += 1;
        if (failure !== null) throw failure;
      },
    };
    const home = makeFolder();
    const folder = join(home, 'dist');
    writeFiles(folder, { 'index.html': 'one' });
    const { key } = await server().account('scale');
    const client = createClient({ server: `http://localhost:${server().port}`, key });
    const watched = startWatch({ folder, client }, { cacheDir: join(home, 'cache'), source });
    onTestFinished(() => watched.stop());
    expect(await watched.next('failed')).toMatchObject({ error: { message: 'The build failed' }, waitMs: null });
    expect(scans).toBe(1);
    failure = null;
    (await events.promise).changed(folder);
    const { url } = await watched.next('published');
    expect((await server().visit(url)).text).toBe('one');
  });
});
