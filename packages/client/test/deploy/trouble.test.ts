import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CreatedDeployment } from '@berth/contract';
import type { Trouble } from '@berth/testing/proxy';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/client.ts';
import { deployFiles, deployFolder } from '../../src/deploy/deploy.ts';
import { CANCELLED } from '../../src/deploy/input.ts';
import { readFolder } from '../../src/folder/read-folder.ts';
import { collectEvents, makeFolder } from '../folder/folders.ts';
import { makeWorld, untilSettled, sha256, typesOf, type World } from './worlds.ts';

const server = useServer();
const BIG_FILE = Buffer.alloc(400_000, 'big');
const SITE = { 'index.html': '<h1>one</h1>', 'a/b.txt': 'text', 'big.bin': BIG_FILE };

const REQUESTS = ['/trpc/deployments.begin', '/uploads/*/contents', '/trpc/deployments.commit', '/deployments'];
const TROUBLES: readonly (readonly [string, Trouble])[] = [
  ['gets a 503', { status: 503, headers: { 'Retry-After': '0' } }],
  ['gets a 429', { status: 429, headers: { 'Retry-After': '0' } }],
  ["gets a gateway's 502", { status: 502 }],
  ['is cut before its body', { cutAfter: 0 }],
  ['is cut in its body', { cutAfter: 20 }],
  ['loses its answer', 'lose-answer'],
];
const CASES = REQUESTS.flatMap((path) => TROUBLES.map(([what, trouble]) => [path, what, trouble] as const));
let domains = 0;
const freshDomain = () => `trouble${(domains += 1)}.localhost`;

/** Counts the open uploads of the account. */
async function openUploads({ client }: World): Promise<number> {
  const { account } = await client.api.account.get.query();
  return (await server().database.query('select 1 from upload where account_id = $1 and committed is null', [account]))
    .length;
}

/** Publishes the folder, and aborts the deploy at the event `planned`. */
async function abortPlanned(world: World, reason?: DOMException): Promise<void> {
  const controller = new AbortController();
  const { folder, client, options } = world;
  const events = deployFolder({ folder, client }, { ...options, signal: controller.signal });
  await expect(async () => {
    for await (const { type } of events) if (type === 'planned') controller.abort(reason);
  }).rejects.toMatchObject({ kind: 'aborted' });
}

/** Checks that the account has one deployment, with all files. */
async function expectOneDeployment(world: World, { deployment, files }: CreatedDeployment): Promise<void> {
  expect(files).toBe(3);
  expect(await world.deployments()).toBe(1);
  expect(sha256((await server().visit(deployment, '/big.bin')).bytes)).toBe(sha256(BIG_FILE));
}

test.each(CASES)('a deploy creates one deployment, even if the request to %s %s', async (troubled, _, trouble) => {
  const world = await makeWorld(server(), SITE);
  world.proxy.trouble = (_req, path, nth) => (path === troubled && nth < 2 ? trouble : undefined);
  const delta = troubled !== '/deployments';
  const { events, result } = await world.deploy({ domain: freshDomain() }, { delta });
  const retried = events.filter(({ type }) => type === 'retried');
  // Contents arrive even if the responses of their bodies are lost.
  const isThere = troubled.startsWith('/uploads') && trouble === 'lose-answer';
  expect(retried).toHaveLength(isThere ? 1 : 2);
  expect(typesOf(events).at(-1)).toBe('linked');
  await expectOneDeployment(world, result);
});

describe('a deploy to a server whose database restarts', () => {
  const RESTARTING: Trouble = { status: 503, headers: { 'Retry-After': '1' } };

  test.each(REQUESTS)('creates one deployment if the body of %s is interrupted with status 503', async (troubled) => {
    const world = await makeWorld(server(), SITE);
    world.proxy.trouble = (_req, path, nth) =>
      path === troubled && nth === 0 ? { ...RESTARTING, beforeBodyEnds: true } : undefined;
    const delta = troubled !== '/deployments';
    const { events, result } = await world.deploy({ domain: freshDomain() }, { delta });
    // The pause is not checked: the connection of an unread body may be reset before the response arrives.
    expect(events.filter(({ type }) => type === 'retried')).toHaveLength(1);
    await expectOneDeployment(world, result);
  });

  test.each([true, false])('creates one deployment if every request fails once (delta: %s)', async (delta) => {
    const world = await makeWorld(server(), SITE);
    world.proxy.trouble = (_req, path, nth) => (REQUESTS.includes(path) && nth === 0 ? RESTARTING : undefined);
    const { events, result } = await world.deploy({ domain: freshDomain() }, { delta });
    const retryWaits = events.flatMap((event) => (event.type === 'retried' ? [event.waitMs] : []));
    expect(retryWaits).toHaveLength(delta ? 3 : 1);
    for (const waitMs of retryWaits) expect(waitMs).toBeGreaterThanOrEqual(1_000);
    await expectOneDeployment(world, result);
  });
});

test('contents that arrived completely before the connection broke are not sent again', async () => {
  const files = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`${i}.txt`, `${i}`.padEnd(60_000, '.')]));
  const world = await makeWorld(server(), files);
  world.proxy.trouble = async (_req, path, nth) => {
    if (path.endsWith('begin')) await untilSettled(world);
    return path.startsWith('/uploads') && nth === 0 ? { cutAfter: 1_500_000 } : undefined;
  };
  await world.deploy();
  const { contents } = world.proxy;
  expect(new Set(contents).size).toBe(50);
  expect(contents.length).toBe(50);
});

test.each([400, 404])('a deploy that is refused with %i is neither retried nor sent as a form', async (status) => {
  const world = await makeWorld(server(), SITE);
  world.proxy.trouble = () => ({ status });
  await expect(world.deploy()).rejects.toMatchObject({ kind: 'refused', status });
  expect(world.proxy.passed.map(({ path }) => path)).toEqual(['/trpc/deployments.begin']);
});

test('a deploy fails if the server stays unreachable', async () => {
  const world = await makeWorld(server(), SITE);
  world.proxy.trouble = () => ({ cutAfter: 0 });
  const { rejects } = expect(world.deploy({}, { retries: { attempts: 3, firstMs: 1 } }));
  await rejects.toMatchObject({ kind: 'network' });
  expect(world.proxy.passed).toHaveLength(4);
});

describe('an upload that the server no longer knows', () => {
  test.each(['/uploads/*/contents', '/trpc/deployments.commit'])('at %s is replaced by a new upload', async (lost) => {
    const world = await makeWorld(server(), SITE);
    world.proxy.trouble = (_req, path, nth) => (path === lost && nth === 0 ? { status: 404 } : undefined);
    await world.deploy();
    const keys = new Set(world.proxy.passed.filter(({ path }) => path.endsWith('begin')).map(({ body }) => body));
    expect(keys.size).toBe(1);
    expect(await world.deployments()).toBe(1);
  });

  test('fails the deploy if each new upload is lost too', async () => {
    const world = await makeWorld(server(), SITE);
    world.proxy.trouble = (_req, path) => (path.endsWith('commit') ? { status: 404 } : undefined);
    await expect(world.deploy()).rejects.toMatchObject({ kind: 'refused', status: 404 });
  });
});

test('a deploy without delta uploads sends one form with every file and all options', async () => {
  const world = await makeWorld(server(), { ...SITE, 'é ü.txt': 'name' });
  const options = { labels: ['a-label'], via: 'cli', ttl: 3600 };
  const { events, result } = await world.deploy({ ...options, password: 'secret word' }, { delta: false });
  expect(events).toContainEqual(expect.objectContaining({ type: 'planned', via: 'multipart' }));
  expect(result).toMatchObject({ files: 4, labels: ['a-label'], password: true, via: 'cli' });
  expect(result.expires).toBeTypeOf('number');
  expect(world.proxy.passed.map(({ path }) => path)).toEqual(['/deployments']);
  const open = await world.deploy({}, { delta: false });
  expect(await world.read(open.result, '/a/b.txt')).toBe('text');
  expect(sha256((await server().visit(open.result.deployment, '/big.bin')).bytes)).toBe(sha256(BIG_FILE));
});

describe('a file that changes after it was hashed', () => {
  const FILES = [
    ['a small file that keeps its size', 'a/b.txt', 'TEXT'],
    ['a small file that changes its size', 'a/b.txt', 'longer text'],
    ['a large file that keeps its size', 'big.bin', Buffer.alloc(BIG_FILE.length, 'BIG')],
    ['a large file that becomes smaller', 'big.bin', Buffer.alloc(BIG_FILE.length - 1, 'big')],
    ['a large file that becomes larger', 'big.bin', Buffer.alloc(BIG_FILE.length + 1, 'big')],
  ] as const;
  test.each(FILES)('is never sent completely if it is %s, but reported (T3)', async (_, path, content) => {
    for (const delta of [true, false]) {
      const world = await makeWorld(server(), SITE);
      const { result: snapshot } = await collectEvents(readFolder(world.folder, world.options));
      writeFileSync(join(world.folder, 'new'), content);
      renameSync(join(world.folder, 'new'), join(world.folder, path));
      await expect(world.deploy({}, { snapshot, delta })).rejects.toMatchObject({ kind: 'folder', file: path });
      expect(await world.deployments()).toBe(0);
      expect(world.proxy.contents).not.toContain(sha256(SITE[path]));
      expect(world.proxy.contents).not.toContain(sha256(content as string));
    }
  });
});

test('a file that was replaced by a link after it was hashed is not sent, even if the content is the same (T3)', async () => {
  const world = await makeWorld(server(), SITE);
  const otherFolder = makeFolder({ 'b.txt': 'text' });
  world.proxy.trouble = (_req, path) => {
    if (!path.endsWith('begin')) return undefined;
    rmSync(join(world.folder, 'a/b.txt'));
    symlinkSync(join(otherFolder, 'b.txt'), join(world.folder, 'a/b.txt'));
    return undefined;
  };
  await expect(world.deploy()).rejects.toMatchObject({ kind: 'folder', file: 'a/b.txt' });
  expect(await world.deployments()).toBe(0);
});

test.each([true, false])('the error for a file that is too large names the file (delta: %s)', async (delta) => {
  const world = await makeWorld(server(), { 'a.txt': 'a', 'big.bin': Buffer.alloc(21 * 1024 * 1024) });
  const { key } = await server().account('free');
  const client = createClient({ server: world.client.server.href, key });
  await expect(world.deploy({ client }, { delta })).rejects.toMatchObject({
    kind: 'refused',
    code: 'payload_too_large',
    file: 'big.bin',
  });
});

describe('files in memory', () => {
  test('are published like the files of a folder', async () => {
    const { client, options, read, proxy } = await makeWorld(server(), {});
    const files = [
      { path: '/index.html', content: 'hello' },
      { path: './a/b.bin', content: new Uint8Array(9_000_000) },
      { path: '.DS_Store', content: 'junk' },
    ];
    for (const delta of [true, false]) {
      const { events, result } = await collectEvents(deployFiles({ client, files }, { ...options, delta }));
      expect(typesOf(events)).toEqual(['planned', 'uploaded', 'committed']);
      expect(result).toMatchObject({ files: 2, size: 9_000_005 });
      expect(await read(result, '/')).toBe('hello');
    }
    expect(proxy.contents).toHaveLength(2);
  });

  const REFUSED = [
    ['a/../b.txt', 'a path must not have a "." or ".." segment'],
    ['.env', 'environment files (.env*) contain secrets and are never published'],
    ['x.exe', 'programs and installers (.exe) are never published'],
  ] as const;
  test.each(REFUSED)('are refused before anything is sent if the path of one file is %s', async (path, reason) => {
    const { client, options, proxy } = await makeWorld(server(), {});
    await expect(collectEvents(deployFiles({ client, files: [{ path, content: '' }] }, options))).rejects.toMatchObject(
      {
        kind: 'folder',
        file: path,
        message: `${path}: ${reason}.`,
      },
    );
    expect(proxy.passed).toEqual([]);
  });

  test('are refused if two files have the same path, or one path is the folder of another', async () => {
    const { client, options } = await makeWorld(server(), {});
    for (const otherPath of ['a', 'a/b']) {
      const files = ['a', otherPath].map((path) => ({ path, content: '' }));
      await expect(collectEvents(deployFiles({ client, files }, options))).rejects.toMatchObject({ kind: 'folder' });
    }
  });
});

test('a cancelled deploy aborts its upload at once', async () => {
  const world = await makeWorld(server(), SITE);
  await abortPlanned(world, CANCELLED);
  await untilSettled(world);
  expect(await openUploads(world)).toBe(0);
  await world.deploy();
  expect(await world.deployments()).toBe(1);
});

test('a deploy that is aborted without CANCELLED keeps its upload for the next run', async () => {
  const world = await makeWorld(server(), SITE);
  await abortPlanned(world);
  await untilSettled(world);
  expect(await openUploads(world)).toBe(1);
  await world.deploy();
  expect(await openUploads(world)).toBe(0);
});

test('a deploy that fails because of the network keeps its upload', async () => {
  const world = await makeWorld(server(), SITE);
  world.proxy.trouble = (_req, path) => (path.startsWith('/uploads') ? { cutAfter: 0 } : undefined);
  await expect(world.deploy({}, { retries: { attempts: 0 } })).rejects.toMatchObject({ kind: 'network' });
  expect(await openUploads(world)).toBe(1);
});

test.each([
  ['aborts the upload, because no later run resumes the upload', ['commit'], 0],
  ['reports why the deploy failed, even if the upload cannot be aborted', ['commit', 'abort'], 1],
])('if a deploy of files in memory fails, the client %s', async (_, refused, open) => {
  const world = await makeWorld(server(), {});
  world.proxy.trouble = (_req, path) => (refused.some((end) => path.endsWith(end)) ? { status: 400 } : undefined);
  const files = [{ path: 'index.html', content: 'hi' }];
  await expect(collectEvents(deployFiles({ files, client: world.client }, world.options))).rejects.toMatchObject({
    kind: 'refused',
    status: 400,
  });
  expect(await openUploads(world)).toBe(open);
});
