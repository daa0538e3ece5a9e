import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { openDiskPacks, type PackStore } from '@berth/core';
import type { ContentLocation } from '@berth/testing/internals';
import { open, stop } from '@berth/testing/raw-socket';
import { afterEach, describe, expect, it } from 'vitest';
import { hostOf, memoryPacks, pack, PUBLIC, publicSite, runSiteHost, type RunningHost } from './running-host.ts';

const HOST = `Host: ${hostOf(PUBLIC)}`;
const LARGE = Buffer.from(Array.from({ length: 4_000_000 }, (_, index) => 65 + (index % 26)));
let host: RunningHost;

async function serve(packs: PackStore): Promise<void> {
  const manifest = await pack(packs, 'aa-first', {
    'before.txt': 'before',
    'large.bin': LARGE,
    'limit.bin': LARGE.subarray(0, 65_536),
    'beyond.bin': LARGE.subarray(0, 65_537),
  });
  host = await runSiteHost(packs);
  host.sites.set(PUBLIC, publicSite(manifest));
}

afterEach(() => stop(host.server));

/** Requests the large file and leaves after the first bytes. */
async function leaveEarly(): Promise<void> {
  const { socket, received } = await open(host.port);
  socket.write(`GET /large.bin HTTP/1.1\r\n${HOST}\r\n\r\n`);
  await once(socket, 'data');
  socket.destroy();
  await received;
}

/** Requests the large file. @returns A function that leaves, and resolves when the server has noticed it. */
async function requestLarge(): Promise<() => Promise<void>> {
  const connected = once(host.server, 'connection');
  const { socket } = await open(host.port);
  const [connection] = await connected;
  socket.write(`GET /large.bin HTTP/1.1\r\n${HOST}\r\n\r\n`);
  return async () => {
    socket.destroy();
    await once(connection, 'close');
  };
}

describe('large files', () => {
  it.each([
    ['/large.bin', LARGE.length],
    ['/limit.bin', 65_536],
    ['/beyond.bin', 65_537],
  ])('%s arrives completely', async (target, length) => {
    await serve(memoryPacks());
    const { body, headers } = await host.get(target);
    expect(headers['content-length']).toBe(String(length));
    expect(body).toBe(LARGE.toString('latin1', 0, length));
  });

  it('F11: a client that leaves closes its stream without an error', async () => {
    const packs = memoryPacks();
    await serve(packs);
    for (let n = 0; n < 20; n += 1) await leaveEarly();
    await expect.poll(() => packs.openStreams()).toBe(0);
    expect(host.logged).toEqual([]);
  });

  it('F11: a client that left before the first byte closes its stream without an error', async () => {
    const packs = memoryPacks();
    const opened = Promise.withResolvers<Readable>();
    const readOn = Promise.withResolvers<void>();
    await serve({
      ...packs,
      stream(place) {
        const content = packs.stream(place);
        const read = content._read.bind(content);
        content._read = (size) => void readOn.promise.then(() => read(size));
        opened.resolve(content);
        return content;
      },
    });
    const leave = await requestLarge();
    const contentClosed = once(await opened.promise, 'close');
    await leave();
    readOn.resolve();
    await contentClosed;
    await expect.poll(() => packs.openStreams()).toBe(0);
    expect(host.logged).toEqual([]);
  });

  it('F11: a client that left while its site was loaded causes no error', async () => {
    const packs = memoryPacks();
    const manifest = await pack(packs, 'first', { 'large.bin': LARGE });
    const requested = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const streamed = Promise.withResolvers<Readable>();
    const stream = (place: ContentLocation) => {
      const content = packs.stream(place);
      streamed.resolve(content);
      return content;
    };
    host = await runSiteHost({ ...packs, stream });
    host.setFind(async () => {
      requested.resolve();
      await left.promise;
      return publicSite(manifest);
    });
    const leave = await requestLarge();
    await requested.promise;
    await leave();
    left.resolve();
    await once(await streamed.promise, 'close');
    expect(packs.openStreams()).toBe(0);
    expect(host.logged).toEqual([]);
  });

  it('F11: HEAD opens no stream', async () => {
    const packs = memoryPacks();
    await serve({ ...packs, stream: () => expect.unreachable('nothing is read for HEAD') });
    const { headers } = await host.get('/large.bin', [], { method: 'HEAD' });
    expect(headers['content-length']).toBe(String(LARGE.length));
  });

  it.runIf(process.platform === 'linux')('F11: no descriptor stays open when clients leave', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-packs-'));
    await serve(await openDiskPacks(folder));
    const openFiles = async () => (await readdir('/proc/self/fd')).length;
    await leaveEarly();
    const before = await openFiles();
    for (let n = 0; n < 10; n += 1) await Promise.all(Array.from({ length: 20 }, leaveEarly));
    expect((await host.get('/large.bin')).body.length).toBe(LARGE.length);
    await expect.poll(openFiles).toBeLessThanOrEqual(before);
    expect(host.logged).toEqual([]);
    await rm(folder, { recursive: true });
  });
});
