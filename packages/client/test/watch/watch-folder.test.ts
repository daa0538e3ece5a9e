import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useServer } from '@berth/testing/use-server';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type BerthClient, createClient } from '../../src/client.ts';
import { deployFolder } from '../../src/deploy/deploy.ts';
import { ClientError } from '../../src/errors.ts';
import type { WatchFolderInput } from '../../src/watch/input.ts';
import { watchFolder } from '../../src/watch/watch-folder.ts';
import type { WatcherEvents } from '../../src/watch/watcher.ts';
import { makeFolder, writeFiles } from '../folder/folders.ts';
import { type RunningWatch, startWatch } from './running-watch.ts';

const server = useServer();
let client: BerthClient;
let folder: string;
let cacheDir: string;
let isOffline: boolean;

beforeEach(async () => {
  const home = makeFolder();
  folder = join(home, 'dist');
  cacheDir = join(home, 'cache');
  isOffline = false;
  const { key } = await server().account('scale');
  client = createClient({
    server: `http://localhost:${server().port}`,
    key,
    fetch: (...request) => (isOffline ? Promise.reject(new TypeError('no route to the server')) : fetch(...request)),
  });
});

/** Replaces the folder by the files of a build. */
function build(files: Record<string, string>): void {
  rmSync(folder, { recursive: true, force: true });
  writeFiles(folder, files);
}

/** Starts a watch of the folder that ends with the test. */
function watch(
  input: Partial<WatchFolderInput> = {},
  options: Parameters<typeof startWatch>[1] = {},
  parts: Parameters<typeof startWatch>[2] = {},
): RunningWatch {
  const watchRun = startWatch({ folder, client, ...input }, { cacheDir, ...options }, parts);
  onTestFinished(() => watchRun.stop());
  return watchRun;
}

/** Returns a domain name that no other test uses. */
const freshDomain = () => `w${crypto.randomUUID().slice(0, 12)}.localhost`;

const visitDomain = async (domain: string, path = '/') =>
  (await server().visit(`http://${domain}:${server().port}`, path)).text;

/** Returns the ids of all deployments of the account, newest first. */
const deployments = async () =>
  (await client.api.deployments.list.query({})).deployments
    .filter(({ status }) => status === 'success')
    .map(({ deployment }) => deployment);

/** Creates a `deployFolder` that waits for `open` before it begins. */
function gated() {
  const open = Promise.withResolvers<void>();
  const requestArrived = Promise.withResolvers<void>();
  const requestEnded = Promise.withResolvers<void>();
  const parts = {
    async *deployFolder(...args: Parameters<typeof deployFolder>): ReturnType<typeof deployFolder> {
      const { signal } = args[1]!;
      requestArrived.resolve();
      const published = Promise.withResolvers<void>();
      signal!.addEventListener('abort', () => published.resolve());
      await Promise.race([open.promise, published.promise]);
      try {
        return yield* deployFolder(...args);
      } finally {
        requestEnded.resolve();
      }
    },
  };
  return { parts, arrived: requestArrived.promise, open: () => open.resolve(), ended: requestEnded.promise };
}

describe('a watch', () => {
  it('publishes the initial folder and each build once, at the same domain (D2)', async () => {
    build({ 'index.html': 'one', 'app.js': '1' });
    const domain = freshDomain();
    const watched = watch({ domain });
    expect(await watched.next('watching')).toEqual({ type: 'watching', folder, domain });
    const firstVersion = await watched.next('published');
    expect(firstVersion.url).toBe(`http://${domain}:${server().port}`);
    const order = ['watching', 'walked', 'hashed', 'planned', 'uploaded', 'committed', 'linked', 'published'];
    expect([...new Set(watched.events.map(({ type }) => type))]).toEqual(order);
    expect(await visitDomain(domain)).toBe('one');

    build({ 'index.html': 'two', 'app.js': '2' });
    await watched.next('settling');
    const secondVersion = await watched.next('published');
    expect(secondVersion.deployment.deployment).not.toBe(firstVersion.deployment.deployment);
    expect(await visitDomain(domain)).toBe('two');
    expect(await visitDomain(domain, '/app.js')).toBe('2');
    expect(watched.count('committed')).toBe(2);
  });

  it('gives each deployment a different link without a domain', async () => {
    build({ 'index.html': 'one' });
    const watched = watch();
    const firstVersion = await watched.next('published');
    build({ 'index.html': 'two' });
    const secondVersion = await watched.next('published');
    expect([firstVersion.url, secondVersion.url]).toEqual([firstVersion.deployment.url, secondVersion.deployment.url]);
    expect((await server().visit(firstVersion.url)).text).toBe('one');
    expect((await server().visit(secondVersion.url)).text).toBe('two');
    expect((await client.api.domains.list.query({})).domains).toEqual([]);
  });

  it('publishes no file of a build that starts between a scan and its deploy, until the build is complete (D5)', async () => {
    const uploadGate = gated();
    build({ 'index.html': 'page one', 'app.js': 'script one' });
    const domain = freshDomain();
    const watched = watch({ domain }, {}, uploadGate.parts);
    await uploadGate.arrived;
    writeFileSync(join(folder, 'index.html'), 'page two');
    uploadGate.open();
    await uploadGate.ended;
    writeFileSync(join(folder, 'app.js'), 'script two');
    await watched.next('published');
    expect([await visitDomain(domain), await visitDomain(domain, '/app.js')]).toEqual(['page two', 'script two']);
    expect(await deployments()).toHaveLength(1);
    expect(watched.count('failed')).toBe(0);
  });

  it('deploys nothing for a build that changes nothing (D4)', async () => {
    build({ 'index.html': 'one', 'app.js': '1' });
    const watched = watch({ domain: freshDomain() });
    await watched.next('published');
    build({ 'index.html': 'one', 'app.js': '1' });
    await watched.next('unchanged');
    expect(watched.count('committed')).toBe(1);
  });

  it('deploys nothing after a restart, unless the domain points at something else (D4)', async () => {
    build({ 'index.html': 'one' });
    const domain = freshDomain();
    const name = domain.split('.')[0]!;
    const watchBefore = watch({ domain: name });
    await watchBefore.next('published');
    await watchBefore.stop();

    const secondWatch = watch({ domain: name });
    await secondWatch.next('unchanged');
    await secondWatch.stop();
    expect(await deployments()).toHaveLength(1);

    const { deployment } = await server().publish({ 'index.html': 'by hand' }, { key: client.key });
    await client.api.domains.put.mutate({ domain, deployment });
    const thirdWatch = watch({ domain: name });
    await thirdWatch.next('published');
    expect(await visitDomain(domain)).toBe('one');
  });

  it('deploys nothing after a restart with the same password, but deploys with another password (D4)', async () => {
    build({ 'index.html': 'one' });
    for (const [password, expected] of [
      ['open sesame', 'published'],
      ['open sesame', 'unchanged'],
      ['open barley', 'published'],
      [undefined, 'published'],
    ] as const) {
      const protectedWatch = watch({ password });
      await protectedWatch.next(expected);
      await protectedWatch.stop();
    }
  });

  it('keeps the live deployment while the folder is gone, empty, or without its front page (D3)', async () => {
    build({ 'index.html': 'one', 'app.js': '1' });
    const domain = freshDomain();
    const watched = watch({ domain });
    await watched.next('published');

    rmSync(folder, { recursive: true });
    expect(await watched.next('missing')).toEqual({ type: 'missing', reason: 'gone' });
    mkdirSync(folder);
    expect(await watched.next('missing')).toEqual({ type: 'missing', reason: 'empty' });
    writeFileSync(join(folder, 'app.js'), '2');
    expect(await watched.next('missing')).toEqual({ type: 'missing', reason: 'no-front-page' });
    expect(await visitDomain(domain)).toBe('one');

    build({ 'index.html': 'two', 'app.js': '2' });
    await watched.next('published');
    expect(await visitDomain(domain)).toBe('two');
    expect(watched.count('committed')).toBe(2);
  });

  it('retries while the server cannot be reached, and then publishes the newest state (D6)', async () => {
    build({ 'index.html': 'one' });
    const domain = freshDomain();
    const watched = watch({ domain });
    await watched.next('published');
    isOffline = true;
    build({ 'index.html': 'two' });
    const firstFailure = await watched.next('failed');
    expect(firstFailure).toMatchObject({ error: { kind: 'network' }, waitMs: 50 });
    expect(await watched.next('failed')).toMatchObject({ error: { kind: 'network' }, waitMs: 100 });
    build({ 'index.html': 'three' });
    isOffline = false;
    await watched.next('published');
    expect(await visitDomain(domain)).toBe('three');
    expect(await deployments()).toHaveLength(2);
  });

  it('reports a refused build, and waits for the next build (D6)', async () => {
    build({ 'index.html': 'one', 'ship.json': '{' });
    const watched = watch();
    expect(await watched.next('failed')).toMatchObject({ error: { kind: 'refused', status: 400 }, waitMs: null });
    build({ 'index.html': 'one', 'ship.json': '{}' });
    await watched.next('published');
  });
});

describe('a watch on a system that does not report changes', () => {
  it('polls the folder, and emits the event `polling` once (D8)', async () => {
    build({ 'index.html': 'one' });
    const silentWatcher = {
      async createWatcher(_folder: string, events: WatcherEvents) {
        for (const file of ['a', 'b']) events.failed(new Error(`no watch is left for ${file}`));
        return { close: async () => {} };
      },
    };
    const watched = watch({}, { rule: { pollEveryMs: 50 } }, silentWatcher);
    expect(await watched.next('polling')).toEqual({ type: 'polling', everyMs: 50, reason: 'no watch is left for a' });
    await watched.next('published');
    build({ 'index.html': 'two' });
    const { url } = await watched.next('published');
    expect((await server().visit(url)).text).toBe('two');
    expect(watched.count('polling')).toBe(1);
  });
});

describe('a watch whose watcher is still starting', () => {
  it('publishes the changes that the watcher missed, and replaces the watcher after it has started', async () => {
    const watcherStarted = Promise.withResolvers<void>();
    const watcherReplaced = Promise.withResolvers<void>();
    let closedCount = 0;
    let listeners = 0;
    const slowWatcher = {
      async createWatcher(folder: string, events: WatcherEvents) {
        listeners += 1;
        if (listeners === 2) watcherReplaced.resolve();
        events.changed(folder);
        await watcherStarted.promise;
        return { close: async () => void (closedCount += 1) };
      },
    };
    build({ 'index.html': 'one' });
    const watched = watch({}, { rule: { lookEveryMs: 50, quietMs: 20 } }, slowWatcher);
    await watched.next('published');
    build({ 'index.html': 'two' });
    const { url } = await watched.next('published');
    expect((await server().visit(url)).text).toBe('two');
    expect([listeners, closedCount]).toEqual([1, 0]);
    watcherStarted.resolve();
    await watcherReplaced.promise;
    expect(closedCount).toBeGreaterThan(0);
    await watched.stop();
    expect(closedCount).toBe(listeners);
  });
});

describe('a watch whose watcher never reports changes', () => {
  /** Starts a watch, and waits until its first build is live. */
  async function startWatchWithoutNotifications() {
    build({ 'index.html': 'first' });
    const nudges = new EventTarget();
    const watched = watch({}, { nudges }, { createWatcher: async () => ({ close: async () => {} }) });
    await watched.next('published');
    return { watched, nudge: (type: 'look' | 'publish') => nudges.dispatchEvent(new Event(type)) };
  }

  it('publishes a change after a nudge (D7)', async () => {
    const { watched, nudge } = await startWatchWithoutNotifications();
    build({ 'index.html': 'second, unnotified' });
    nudge('look');
    const { url } = await watched.next('published');
    expect((await server().visit(url)).text).toBe('second, unnotified');
  });

  it('emits the event `unchanged` after a publish request if nothing is new (D4)', async () => {
    const { watched, nudge } = await startWatchWithoutNotifications();
    nudge('publish');
    await watched.next('unchanged');
    expect(watched.count('published')).toBe(1);
  });

  it('ignores nudges after it has ended', async () => {
    const { watched, nudge } = await startWatchWithoutNotifications();
    await watched.stop();
    const count = watched.events.length;
    nudge('publish');
    expect(watched.events).toHaveLength(count);
  });
});

describe('the pruning of a watch', () => {
  it('keeps the newest deployments, including deployments of earlier runs', async () => {
    const createdFiles: string[] = [];
    const publishing = async (watched: RunningWatch, text: string) => {
      build({ 'index.html': text });
      createdFiles.push((await watched.next('published')).deployment.deployment);
    };
    const watchBefore = watch({ keep: 3 });
    for (const text of ['one', 'two', 'three']) await publishing(watchBefore, text);
    await watchBefore.stop();

    const secondWatch = watch({ keep: 3 });
    await publishing(secondWatch, 'four');
    expect(await secondWatch.next('pruned')).toEqual({ type: 'pruned', deployments: [createdFiles[0]] });
    await publishing(secondWatch, 'five');
    expect(await secondWatch.next('pruned')).toEqual({ type: 'pruned', deployments: [createdFiles[1]] });
    expect(await deployments()).toEqual(createdFiles.slice(2).toReversed());
  });

  it('never deletes a deployment of another watch, or a deployment that a domain points at', async () => {
    const { deployment: foreign } = await server().publish({ 'index.html': 'by hand' }, { key: client.key });
    build({ 'index.html': 'first' });
    const domain = freshDomain();
    const watched = watch({ domain, keep: 1, labels: ['blog'] });
    const firstVersion = (await watched.next('published')).deployment;
    expect(firstVersion.labels).toEqual(['blog', expect.stringMatching(/^watch-[0-9a-f]{16}$/)]);
    await client.api.domains.put.mutate({ domain: freshDomain(), deployment: firstVersion.deployment });
    build({ 'index.html': 'second' });
    const secondVersion = (await watched.next('published')).deployment.deployment;
    build({ 'index.html': 'third' });
    const thirdVersion = (await watched.next('published')).deployment.deployment;
    expect(await watched.next('pruned')).toEqual({ type: 'pruned', deployments: [secondVersion] });
    expect(await deployments()).toEqual([thirdVersion, firstVersion.deployment, foreign]);
  });

  it('deletes nothing if the credential can only deploy, and reports the error once', async () => {
    const { deployToken } = await server().account('scale');
    build({ 'index.html': 'one' });
    const watched = watch({ client: createClient({ server: client.server.href, key: deployToken }), keep: 1 });
    await watched.next('published');
    expect(await watched.next('failed')).toMatchObject({ error: { kind: 'signed-out', status: 403 }, during: 'prune' });
    build({ 'index.html': 'two' });
    await watched.next('published');
    build({ 'index.html': 'three' });
    await watched.next('published');
    expect(watched.count('failed')).toBe(1);
  });
});

describe('a watch that is ended', () => {
  it('aborts a running deploy, and keeps the live deployment', async () => {
    build({ 'index.html': 'one' });
    const domain = freshDomain();
    const watchBefore = watch({ domain });
    await watchBefore.next('published');
    await watchBefore.stop();

    const uploadGate = gated();
    build({ 'index.html': 'two' });
    const watched = watch({ domain }, {}, uploadGate.parts);
    await uploadGate.arrived;
    await watched.stop();
    expect(watched.count('failed')).toBe(0);
    expect(await deployments()).toHaveLength(1);
    expect(await visitDomain(domain)).toBe('one');
  });

  it('returns when its iterator is closed', async () => {
    build({ 'index.html': 'one' });
    for await (const event of watchFolder({ folder, client }, { cacheDir })) if (event.type === 'watching') break;
    expect(await deployments()).toEqual([]);
  });

  it('returns at once if its signal was aborted before the start', async () => {
    const events = watchFolder({ folder, client }, { signal: AbortSignal.abort() });
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });
});

describe('watchFolder', () => {
  const cases: [title: string, input: Partial<WatchFolderInput>, kind: string][] = [
    ['without a key', { client: createClient({ server: 'http://localhost:1' }) }, 'signed-out'],
    ['if keep is 0', { keep: 0 }, 'refused'],
    ['if the keep function returns 0', { keep: () => 0 }, 'refused'],
    ['with too many labels', { labels: Array.from({ length: 10 }, (_, i) => `label-${i}`) }, 'refused'],
  ];
  it.each(cases)('throws %s', async (_title, input, kind) => {
    const error = await watchFolder({ folder, client, ...input })
      .next()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ClientError);
    expect(error).toMatchObject({ kind });
  });
});
