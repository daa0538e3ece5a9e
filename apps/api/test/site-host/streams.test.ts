import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { openDiskPacks, type PackStore } from '@berth/core';
import type { ContentLocation } from '@berth/testing/internals';
import { open, stop } from '@berth/testing/raw-socket';
import { afterEach, describe, expect, it } from 'vitest';
import { hostOf, memoryPacks, packAll, publicSite, type RunningHost, runSiteHost, SITE_ID } from './running-host.ts';

const HOST_HEADER = `Host: ${hostOf(SITE_ID)}`;
const LARGE_FILE = Buffer.from(Array.from({ length: 4_000_000 }, (_, index) => 65 + (index % 26)));
let host: RunningHost;

async function serveFrom(packs: PackStore): Promise<void> {
  const manifest = await packAll(packs, 'aa-first', {
    'before.txt': 'before',
    'large.bin': LARGE_FILE,
    'limit.bin': LARGE_FILE.subarray(0, 65_536),
    'beyond.bin': LARGE_FILE.subarray(0, 65_537),
  });
  host = await runSiteHost(packs);
  host.sites.set(SITE_ID, publicSite(manifest));
}

afterEach(() => stop(host.server));

async function leaveEarly(): Promise<void> {
  const { socket, received } = await open(host.port);
  socket.write(`GET /large.bin HTTP/1.1\r\n${HOST_HEADER}\r\n\r\n`);
  await once(socket, 'data');
  socket.destroy();
  await received;
}

/** Requests the large file. @returns A function that leaves and waits until the server has noticed it. */
async function requestLarge(header = 'Accept: */*'): Promise<() => Promise<void>> {
  const connected = once(host.server, 'connection');
  const { socket } = await open(host.port);
  const [connection] = await connected;
  socket.write(`GET /large.bin HTTP/1.1\r\n${HOST_HEADER}\r\n${header}\r\n\r\n`);
  return async () => {
    socket.destroy();
    await once(connection, 'close');
  };
}

describe('the stream of a large file', () => {
  it.each([
    ['/large.bin', LARGE_FILE.length],
    ['/limit.bin', 65_536],
    ['/beyond.bin', 65_537],
  ])('arrives completely: %s', async (target, length) => {
    await serveFrom(memoryPacks());
    const { body, headers } = await host.get(target);
    expect(headers['content-length']).toBe(String(length));
    expect(body).toBe(LARGE_FILE.toString('latin1', 0, length));
  });

  it('F11: closes without an error when the client leaves', async () => {
    const packs = memoryPacks();
    await serveFrom(packs);
    for (let n = 0; n < 20; n += 1) await leaveEarly();
    await expect.poll(() => packs.openStreams()).toBe(0);
    expect(host.logged).toEqual([]);
  });

  it('F11: closes without an error when the client has left before the first byte', async () => {
    const packs = memoryPacks();
    const streamOpened = Promise.withResolvers<Readable>();
    const readingAllowed = Promise.withResolvers<void>();
    await serveFrom({
      ...packs,
      stream(location) {
        const content = packs.stream(location);
        const read = content._read.bind(content);
        content._read = (size) => void readingAllowed.promise.then(() => read(size));
        streamOpened.resolve(content);
        return content;
      },
    });
    const leaveDownload = await requestLarge();
    const contentClosed = once(await streamOpened.promise, 'close');
    await leaveDownload();
    readingAllowed.resolve();
    await contentClosed;
    await expect.poll(() => packs.openStreams()).toBe(0);
    expect(host.logged).toEqual([]);
  });

  it('F11: closes without an error when the client has left while the site was loaded', async () => {
    const packs = memoryPacks();
    const manifest = await packAll(packs, 'first', { 'large.bin': LARGE_FILE });
    const streamRequested = Promise.withResolvers<void>();
    const clientLeft = Promise.withResolvers<void>();
    const streamed = Promise.withResolvers<Readable>();
    const stream = (location: ContentLocation) => {
      const content = packs.stream(location);
      streamed.resolve(content);
      return content;
    };
    host = await runSiteHost({ ...packs, stream });
    host.setFind(async () => {
      streamRequested.resolve();
      await clientLeft.promise;
      return publicSite(manifest);
    });
    const leaveDownload = await requestLarge('Range: bytes=0-');
    await streamRequested.promise;
    await leaveDownload();
    clientLeft.resolve();
    await once(await streamed.promise, 'close');
    expect(packs.openStreams()).toBe(0);
    expect(host.logged).toEqual([]);
  });

  it('F11: is not opened for HEAD', async () => {
    const packs = memoryPacks();
    await serveFrom({ ...packs, stream: () => expect.unreachable('HEAD must not open a stream') });
    const { headers } = await host.get('/large.bin', [], { method: 'HEAD' });
    expect(headers['content-length']).toBe(String(LARGE_FILE.length));
  });

  it.runIf(process.platform === 'linux')('F11: leaves no descriptor open when clients leave', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-packs-'));
    await serveFrom(await openDiskPacks(folder));
    const openFiles = async () => (await readdir('/proc/self/fd')).length;
    await leaveEarly();
    const openFilesBefore = await openFiles();
    for (let n = 0; n < 10; n += 1) await Promise.all(Array.from({ length: 20 }, leaveEarly));
    expect((await host.get('/large.bin')).body.length).toBe(LARGE_FILE.length);
    await expect.poll(openFiles).toBeLessThanOrEqual(openFilesBefore);
    expect(host.logged).toEqual([]);
    await rm(folder, { recursive: true });
  });
});
