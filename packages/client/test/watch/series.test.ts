import { join } from 'node:path';
import { useServer } from '@berth/testing/use-server';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type BerthClient, createClient } from '../../src/client.ts';
import type { WatchFolderInput } from '../../src/watch/input.ts';
import { listVersions } from '../../src/watch/versions.ts';
import { makeFolder, writeFiles } from '../folder/folders.ts';
import { type RunningWatch, startWatch } from './running-watch.ts';

const server = useServer();
let client: BerthClient;
let home: string;

const clientOf = (key: string | null, account: string | null = null): BerthClient =>
  createClient({ server: `http://localhost:${server().port}`, key, account });

beforeEach(async () => {
  home = makeFolder();
  client = clientOf((await server().account('scale')).key);
});

/** Writes the front page of a build. @returns The folder. */
function build(name: string, text: string): string {
  writeFiles(home, { [`${name}/index.html`]: text });
  return join(home, name);
}

/** Starts a watch that ends with the test. */
function watch(input: Omit<WatchFolderInput, 'client'> & { client?: BerthClient }): RunningWatch {
  const watchRun = startWatch({ client, ...input }, { cacheDir: join(home, 'cache') });
  onTestFinished(() => watchRun.stop());
  return watchRun;
}

/** Returns the next deployment of a watch. */
const published = async (watched: RunningWatch): Promise<string> =>
  (await watched.next('published')).deployment.deployment;

const versionsOf = async (of: Omit<Parameters<typeof listVersions>[0], 'client'>): Promise<string[]> =>
  (await listVersions({ client, ...of })).map(({ deployment }) => deployment);

const freshDomain = () => `s${crypto.randomUUID().slice(0, 12)}.localhost`;

it('the versions of a watched folder are the deployments of its series, newest first', async () => {
  const folder = build('dist', 'one');
  const domain = freshDomain();
  const watched = watch({ folder, domain });
  const firstVersion = await published(watched);
  build('dist', 'two');
  const secondVersion = await published(watched);
  await server().publish({ 'index.html': 'not from the watch' }, { key: client.key });
  expect(await versionsOf({ folder, domain })).toEqual([secondVersion, firstVersion]);
  expect(await versionsOf({ folder, domain: 'another' })).toEqual([]);
});

describe('a named series', () => {
  const series = 'the blog of the harbour, wherever it is';

  it('continues in another folder and at another domain, and uses the current value of keep', async () => {
    let keptVersions = 3;
    const watchBefore = watch({
      series,
      folder: build('dist', 'one'),
      domain: freshDomain(),
      keep: () => keptVersions,
    });
    const firstDeployment = await published(watchBefore);
    build('dist', 'two');
    const secondDeployment = await published(watchBefore);
    await watchBefore.stop();

    const folder = build('moved', 'three');
    const domain = freshDomain();
    const movedWatch = watch({ series, folder, domain, keep: () => keptVersions });
    const thirdDeployment = await published(movedWatch);
    expect(await versionsOf({ series, folder, domain })).toEqual([thirdDeployment, secondDeployment, firstDeployment]);
    expect(await versionsOf({ folder, domain })).toEqual([]);
    build('moved', 'four');
    const fourthDeployment = await published(movedWatch);
    expect(await movedWatch.next('pruned')).toEqual({ type: 'pruned', deployments: [firstDeployment] });
    keptVersions = 1;
    build('moved', 'five');
    const fifthDeployment = await published(movedWatch);
    // The first domain still points at the second deployment.
    expect(await movedWatch.next('pruned')).toEqual({
      type: 'pruned',
      deployments: [fourthDeployment, thirdDeployment],
    });
    expect(await versionsOf({ series, folder })).toEqual([fifthDeployment, secondDeployment]);
  });

  it('deletes nothing if keep is invalid, and reports the error', async () => {
    let keptVersions = 1;
    const folder = build('dist', 'one');
    const watched = watch({ series, folder, keep: () => keptVersions });
    const one = await published(watched);
    keptVersions = 0;
    build('dist', 'two');
    const secondVersion = await published(watched);
    expect(await watched.next('failed')).toMatchObject({ error: { kind: 'refused' }, waitMs: null });
    expect(await versionsOf({ series, folder })).toEqual([secondVersion, one]);
  });
});

describe('a watch with another key', () => {
  it('recognises the live deployment of the same account, but not of other or unknown accounts (D4)', async () => {
    const folder = build('dist', 'one');
    const ownAccount = await client.api.account.get.query();
    const { secret } = await client.api.tokens.create.mutate({ kind: 'api' });
    const otherAccount = await server().account('scale');
    for (const [what, as, expected] of [
      ['at first', clientOf(client.key, ownAccount.account), 'published'],
      ['with another key', clientOf(secret, ownAccount.account), 'unchanged'],
      ['with a key of another account', clientOf(otherAccount.key, otherAccount.account), 'published'],
      ['with such a key that claims the first account', clientOf(otherAccount.key, ownAccount.account), 'published'],
      ['with a key of an unknown account', clientOf(secret), 'published'],
    ] as const) {
      const watched = watch({ client: as, folder, password: 'open sesame' });
      const types = () => watched.events.map(({ type }) => type).filter((type) => /^(published|unchanged)$/.test(type));
      await vi.waitFor(() => expect(types()).not.toEqual([]), { timeout: 15_000, interval: 5 });
      expect([what, ...types()]).toEqual([what, expected]);
      await watched.stop();
    }
  });
});
