import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, test } from 'vitest';
import { deployArchive } from '../../src/deploy/archive.ts';
import type { DeployArchiveInput } from '../../src/deploy/input.ts';
import { collectEvents, makeFolder } from '../folder/folders.ts';
import { makeWorld, typesOf, type World } from './worlds.ts';

const server = useServer();
const SITE = { 'index.html': '<h1>packed</h1>', 'a/b.txt': 'text' };
/** More bytes than a client keeps of a stream. */
const LARGE_SITE = { 'index.html': 'large', 'large.bin': randomBytes(6 * 1024 ** 2) };

const tarOf = (folder: string): Buffer =>
  execFileSync('tar', ['-C', folder, '-c', '.'], { maxBuffer: 64 * 1024 ** 2, stdio: ['ignore', 'pipe', 'inherit'] });

function writeArchive(bytes: Buffer): string {
  const path = join(makeFolder(), 'site');
  writeFileSync(path, bytes);
  return path;
}

const deploy = ({ client, options }: World, archive: DeployArchiveInput['archive'], more = {}) =>
  collectEvents(deployArchive({ client, archive, ...more }, { retries: options.retries }));

async function* streamOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
}

describe('deployArchive', () => {
  test.each([
    ['a tar', (tar: Buffer) => tar],
    ['a tar.gz', (tar: Buffer) => gzipSync(tar)],
    ['a tar.zst', (tar: Buffer) => zstdCompressSync(tar)],
    ['a zip', null],
  ])('publishes %s from a file and from a stream, and finds the format by its first bytes', async (_, pack) => {
    const world = await makeWorld(server(), SITE);
    const tar = tarOf(world.folder);
    const { deployment } = (await deploy(world, streamOf(tar))).result;
    const zip = () =>
      server().api(`/deployments/${deployment}/archive`, { key: world.key, headers: { Accept: 'application/zip' } });
    const archive = pack === null ? (await zip()).bytes : pack(tar);
    for (const source of [writeArchive(archive), streamOf(archive)]) {
      const { events, result } = await deploy(world, source, { labels: ['packed', 'v1.2'], via: 'cli' });
      expect(result).toMatchObject({ files: 2, labels: ['packed', 'v1.2'], via: 'cli' });
      for (const [path, content] of Object.entries(SITE)) expect(await world.read(result, `/${path}`)).toBe(content);
      expect(typesOf(events)).toEqual(['planned', 'uploaded', 'committed']);
      expect(events.at(-2)).toMatchObject({
        type: 'uploaded',
        total: { bytes: archive.length },
        sentBytes: archive.length,
      });
    }
  });

  test('has the options of a folder: domain, keep, password and no password', async () => {
    const world = await makeWorld(server(), SITE);
    const path = writeArchive(tarOf(world.folder));
    const first = await deploy(world, path, { domain: 'packed', password: ' \u00e9\u00fc-12345 ', keep: 1 });
    expect(first.result).toMatchObject({ password: true });
    expect(first.events.at(-1)).toMatchObject({ type: 'linked', domain: { domain: 'packed.localhost' } });
    const second = await deploy(world, path, { domain: 'packed', keep: 1 });
    expect(second.result).toMatchObject({ password: true, deleted: [first.result.deployment] });
    expect((await deploy(world, path, { domain: 'packed', password: null })).result).toMatchObject({ password: false });
    expect((await deploy(world, path, { ttl: 60 })).result.expires).toEqual(expect.any(Number));
  });

  test.each([
    ['a file, after a part of it was sent', { cutAfter: 100_000 } as const, writeArchive],
    ['a file whose response was lost', 'lose-answer' as const, writeArchive],
    ['a short stream', 'lose-answer' as const, streamOf],
  ])('sends %s again, and publishes once', async (_, trouble, sourceOf) => {
    const world = await makeWorld(server(), trouble === 'lose-answer' ? SITE : LARGE_SITE);
    world.proxy.trouble = (_req, path, nth) => (path === '/deployments' && nth === 0 ? trouble : undefined);
    const { events, result } = await deploy(world, sourceOf(tarOf(world.folder)));
    expect(result.files).toBe(2);
    expect(events.filter(({ type }) => type === 'retried')).toHaveLength(1);
    expect(await world.deployments()).toBe(1);
  });

  test('does not send a long stream again, and says what to do', async () => {
    const world = await makeWorld(server(), LARGE_SITE);
    world.proxy.trouble = () => 'lose-answer';
    await expect(deploy(world, streamOf(tarOf(world.folder)))).rejects.toMatchObject({
      kind: 'network',
      message: expect.stringContaining('cannot be sent again. Run the command again, or save the archive to a file'),
    });
    expect(world.proxy.passed).toHaveLength(1);
  });

  test.each([
    ['a stream of another format', () => streamOf(Buffer.alloc(2_000, 'text')), 'is not an archive'],
    ['an empty stream', () => streamOf(Buffer.alloc(0)), 'There are no bytes in the stream'],
    ['a missing file', () => '/missing.zip', 'The archive /missing.zip does not exist'],
    ['a folder', () => makeFolder(), 'is not a file'],
  ])('refuses %s before anything is sent', async (_, sourceOf, message) => {
    const world = await makeWorld(server(), SITE);
    await expect(deploy(world, sourceOf())).rejects.toMatchObject({
      kind: 'folder',
      message: expect.stringContaining(message),
    });
    expect(world.proxy.passed).toEqual([]);
  });

  test('stops waiting for a stream when the caller aborts', async () => {
    const { client } = await makeWorld(server(), SITE);
    const aborting = new AbortController();
    const stream = new PassThrough();
    const deploying = deployArchive({ client, archive: stream }, { signal: aborting.signal }).next();
    const refusal = expect(deploying).rejects.toMatchObject({ kind: 'aborted' });
    aborting.abort();
    await refusal;
    expect(stream.destroyed).toBe(true);
  });
});
