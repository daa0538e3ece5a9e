import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { openDiskPacks, type PackStore } from '@berth/core';
import { NO_RULES } from '@berth/serving';
import type { ContentLocation } from '@berth/testing/internals';
import { ask, open, stop } from '@berth/testing/raw-socket';
import { afterEach, describe, expect, it } from 'vitest';
import { memoryPacks, pack } from './memory-packs.ts';
import { hostOf, PUBLIC, runSiteHost, type RunningHost } from './running-host.ts';

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
  host.sites.set(PUBLIC, { deployment: PUBLIC, passwordVersion: null, anonymous: false, manifest, rules: NO_RULES });
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

describe('large files', () => {
  it.each([
    ['/large.bin', LARGE.length],
    ['/limit.bin', 65_536],
    ['/beyond.bin', 65_537],
  ])('%s arrives completely', async (target, length) => {
    await serve(memoryPacks());
    const { body, headers } = await ask(host.port, `GET ${target} HTTP/1.1`, [HOST]);
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
    const connected = once(host.server, 'connection');
    const { socket } = await open(host.port);
    const [connection] = await connected;
    socket.write(`GET /large.bin HTTP/1.1\r\n${HOST}\r\n\r\n`);
    const content = await opened.promise;
    const contentClosed = once(content, 'close');
    socket.destroy();
    await once(connection, 'close');
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
      return { deployment: PUBLIC, passwordVersion: null, anonymous: false, manifest, rules: NO_RULES };
    });
    const connected = once(host.server, 'connection');
    const { socket } = await open(host.port);
    const [connection] = await connected;
    socket.write(`GET /large.bin HTTP/1.1\r\n${HOST}\r\n\r\n`);
    await requested.promise;
    socket.destroy();
    await once(connection, 'close');
    left.resolve();
    await once(await streamed.promise, 'close');
    expect(packs.openStreams()).toBe(0);
    expect(host.logged).toEqual([]);
  });

  it('F11: HEAD opens no stream', async () => {
    const packs = memoryPacks();
    await serve({ ...packs, stream: () => expect.unreachable('nothing is read for HEAD') });
    expect((await ask(host.port, 'HEAD /large.bin HTTP/1.1', [HOST])).headers['content-length']).toBe(
      String(LARGE.length),
    );
  });

  it.runIf(process.platform === 'linux')('F11: no descriptor stays open when clients leave', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-packs-'));
    await serve(await openDiskPacks(folder));
    const openFiles = async () => (await readdir('/proc/self/fd')).length;
    await leaveEarly();
    const before = await openFiles();
    for (let n = 0; n < 10; n += 1) await Promise.all(Array.from({ length: 20 }, leaveEarly));
    expect((await ask(host.port, 'GET /large.bin HTTP/1.1', [HOST])).body.length).toBe(LARGE.length);
    await expect.poll(openFiles).toBeLessThanOrEqual(before);
    expect(host.logged).toEqual([]);
    await rm(folder, { recursive: true });
  });
});
