import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWatcher, type Watcher } from '../../src/watch/watcher.ts';

let parent: string;
let folder: string;
let watcher: Watcher | null = null;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'berth-watcher-'));
  folder = join(parent, 'dist');
});

afterEach(async () => {
  await watcher?.close();
  watcher = null;
  rmSync(parent, { recursive: true, force: true });
});

/** Creates a folder with a page in it. */
function build(at: string, text = 'page'): void {
  mkdirSync(join(at, 'assets'), { recursive: true });
  writeFileSync(join(at, 'index.html'), text);
  writeFileSync(join(at, 'assets/app.js'), text);
}

/** Starts a watcher that counts notifications. `next` waits for a notification after the last call of `next`. */
async function startWatcher() {
  let count = 0;
  let countBefore = 0;
  let nextNotification = Promise.withResolvers<void>();
  const events = {
    changed() {
      count += 1;
      nextNotification.resolve();
    },
    failed: (error: Error) => nextNotification.reject(error),
  };
  watcher = await createWatcher(folder, events, new AbortController().signal);
  return {
    count: () => count,
    async next() {
      while (count === countBefore) {
        await nextNotification.promise;
        nextNotification = Promise.withResolvers();
      }
      countBefore = count;
    },
    /** Waits until no more notifications arrive, so that later notifications belong to later changes. */
    async silence() {
      do countBefore = count;
      while ((await sleep(60), count !== countBefore));
    },
  };
}

interface Replacement {
  title: string;
  prepare?: () => void;
  replace: () => Promise<void> | void;
}

const REPLACEMENTS: Replacement[] = [
  {
    title: 'is deleted and created again at once',
    replace() {
      rmSync(folder, { recursive: true });
      build(folder, 'two');
    },
  },
  {
    title: 'is deleted and created again some time later',
    async replace() {
      rmSync(folder, { recursive: true });
      await sleep(50);
      build(folder, 'two');
    },
  },
  {
    title: 'is swapped by renaming',
    prepare: () => build(join(parent, 'next'), 'two'),
    replace() {
      renameSync(folder, join(parent, 'old'));
      renameSync(join(parent, 'next'), folder);
    },
  },
  {
    title: 'is a link that is changed to another folder',
    prepare() {
      rmSync(folder, { recursive: true });
      build(join(parent, 'one'));
      build(join(parent, 'two'), 'two');
      symlinkSync('one', folder);
    },
    replace() {
      symlinkSync('two', join(parent, 'link'));
      renameSync(join(parent, 'link'), folder);
    },
  },
];

describe('a watcher', () => {
  it.each(REPLACEMENTS)('reports changes before and after the folder $title (D1)', async ({ prepare, replace }) => {
    build(folder);
    prepare?.();
    const notifications = await startWatcher();
    writeFileSync(join(folder, 'assets/app.js'), 'changed');
    await notifications.next();
    await replace();
    await notifications.next();
    for (let i = 0; i < 2; i += 1) {
      await notifications.silence();
      writeFileSync(join(folder, 'index.html'), `${i} after it was replaced`);
      await notifications.next();
    }
  });

  it('reports changes after a folder was created and deleted five times (D1)', async () => {
    const notifications = await startWatcher();
    for (let i = 0; i < 5; i += 1) {
      build(folder, String(i));
      await sleep(i);
      rmSync(folder, { recursive: true });
    }
    build(folder, 'last');
    await notifications.silence();
    writeFileSync(join(folder, 'index.html'), 'after all of them');
    await notifications.next();
  });

  it('does not report changes next to the folder, or changes of files that are never published (D1)', async () => {
    build(folder);
    mkdirSync(join(folder, 'node_modules'));
    build(join(parent, 'dist-2'));
    const notifications = await startWatcher();
    for (let i = 0; i < 100; i += 1) {
      writeFileSync(join(parent, `dist-2/${i}.html`), 'beside');
      writeFileSync(join(folder, `node_modules/${i}.js`), 'not public');
    }
    writeFileSync(join(folder, 'index.html'), 'changed');
    await notifications.next();
    expect(notifications.count()).toBeLessThan(5);
  });

  it('is not started if the caller aborts before it is ready', async () => {
    build(folder);
    const leaving = new AbortController();
    const events = { changed: () => {}, failed: () => {} };
    const listening = createWatcher(folder, events, leaving.signal);
    leaving.abort();
    await expect(listening).rejects.toMatchObject({ kind: 'aborted' });
  });
});
