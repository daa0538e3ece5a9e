import { useServer } from '@berth/testing/use-server';
import { expect, test } from 'vitest';
import { deployFiles } from '../../src/deploy/deploy.ts';
import { deployFolder } from '../../src/deploy/deploy.ts';
import { CANCELLED } from '../../src/deploy/input.ts';
import { collect, writeFiles } from '../folder/folders.ts';
import { makeWorld, settled, type World } from './worlds.ts';

const server = useServer();
const SITE = { 'index.html': '<h1>one</h1>', 'a/b.txt': 'text', 'big.bin': Buffer.alloc(2_000_000, 'big') };

/** Counts the open uploads of the account. */
async function openUploads({ client }: World): Promise<number> {
  const { account } = await client.api.account.get.query();
  return (await server().database.query('select 1 from upload where account_id = $1 and committed is null', [account]))
    .length;
}

/** Publishes the folder, and aborts as soon as the missing contents are known. */
async function giveUp(world: World, reason?: DOMException): Promise<void> {
  const controller = new AbortController();
  const { folder, client, options } = world;
  const events = deployFolder({ folder, client }, { ...options, signal: controller.signal });
  await expect(async () => {
    for await (const { type } of events) if (type === 'planned') controller.abort(reason);
  }).rejects.toMatchObject({ kind: 'aborted' });
}

test('a cancelled deploy aborts its upload at once', async () => {
  const world = await makeWorld(server(), SITE);
  await giveUp(world, CANCELLED);
  await settled(world);
  expect(await openUploads(world)).toBe(0);
  await world.deploy();
  expect(await world.deployments()).toBe(1);
});

test('a deploy that is aborted without CANCELLED keeps its upload for the next run', async () => {
  const world = await makeWorld(server(), SITE);
  await giveUp(world);
  await settled(world);
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

test('a failed deploy of files in memory aborts its upload, because no later run resumes it', async () => {
  const world = await makeWorld(server(), {});
  world.proxy.trouble = (_req, path) => (path.endsWith('commit') ? { status: 400 } : undefined);
  const files = [{ path: 'index.html', content: 'hi' }];
  await expect(collect(deployFiles({ files, client: world.client }, world.options))).rejects.toThrow();
  expect(await openUploads(world)).toBe(0);
});

test('a failure to abort an upload does not hide why the deploy ended', async () => {
  const world = await makeWorld(server(), {});
  world.proxy.trouble = (_req, path) =>
    path.endsWith('commit') || path.endsWith('abort') ? { status: 400 } : undefined;
  const files = [{ path: 'index.html', content: 'hi' }];
  await expect(collect(deployFiles({ files, client: world.client }, world.options))).rejects.toMatchObject({
    kind: 'refused',
    status: 400,
  });
  expect(await openUploads(world)).toBe(1);
});

test('a deploy waits as long as the server asks if there are too many open uploads', async () => {
  const world = await makeWorld(server(), SITE);
  world.proxy.trouble = (_req, path, nth) =>
    path.endsWith('begin') && nth === 0 ? { status: 429, headers: { 'Retry-After': '1' } } : undefined;
  const { events } = await world.deploy();
  expect(events).toContainEqual(expect.objectContaining({ type: 'retried', attempt: 1 }));
  const retried = events.find(({ type }) => type === 'retried');
  expect((retried as { waitMs: number }).waitMs).toBeGreaterThanOrEqual(1_000);
});

test('a site keeps its password if a change is published without one', async () => {
  const world = await makeWorld(server(), SITE);
  expect((await world.deploy({ password: 'open sesame' })).result.password).toBe(true);
  writeFiles(world.folder, { 'index.html': 'two' });
  expect((await world.deploy()).result.password).toBe(true);
  writeFiles(world.folder, { 'index.html': 'three' });
  expect((await world.deploy({ password: null })).result.password).toBe(false);
});
