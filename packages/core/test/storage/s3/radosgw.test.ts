import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { hasRadosgw, type Radosgw, startRadosgw } from '@berth/testing/radosgw';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseS3Address } from '../../../src/storage/s3/address.ts';
import { openS3Packs, type S3Packs } from '../../../src/storage/s3/s3-packs.ts';
import { describeCompaction } from '../../services/compaction/compaction-suite.ts';
import { describePackStore } from '../pack-store-suite.ts';

const MiB = 1024 * 1024;

describe.skipIf(!hasRadosgw)('the object store of Ceph', () => {
  let server: Radosgw;
  let folder: string;
  const opened: S3Packs[] = [];
  beforeAll(async () => {
    server = await startRadosgw();
    folder = await mkdtemp(join(tmpdir(), 'berth-rgw-test-'));
  });
  afterAll(async () => {
    for (const node of opened) await node.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Opens a store with an empty cache. */
  async function openNode(url = server.url): Promise<S3Packs> {
    const home = await mkdtemp(join(folder, 'node-'));
    const node = await openS3Packs({
      bucket: { ...parseS3Address(url), credentials: server.keys },
      spoolFolder: join(home, 'spool'),
      cache: { folder: join(home, 'cache'), maxBytes: 2 ** 30, processes: 1 },
    });
    opened.push(node);
    return node;
  }

  describePackStore('radosgw', async () => ({ store: (await openNode()).packs, close: async () => {} }));

  describeCompaction('radosgw', async () => ({
    store: (await openNode(server.url.replace('/sites', '/compaction'))).packs,
    close: async () => {},
  }));

  it('stores a large pack in parts, and returns it', async () => {
    const { packs } = await openNode();
    const bytes = randomBytes(40 * MiB + 5);
    const pack = randomUUID();
    const file = await packs.create(pack);
    for (let at = 0; at < bytes.length; at += MiB) await file.write(bytes.subarray(at, at + MiB), at);
    await file.write(bytes.subarray(0, 100), 9 * MiB);
    bytes.copy(bytes, 9 * MiB, 0, 100);
    await file.seal(bytes.length);
    const other = await openNode();
    const place = { pack, offset: 0, length: bytes.length };
    expect((await buffer(other.packs.stream(place))).equals(bytes)).toBe(true);
    expect((await buffer(other.packs.scan().stream(place))).equals(bytes)).toBe(true);
  });

  it('lists and removes the parts that a killed process has left', async () => {
    const { packs } = await openNode(server.url.replace('/sites', '/killed'));
    const pack = randomUUID();
    const file = await packs.create(pack);
    for (let at = 0; at < 40; at += 1) await file.write(randomBytes(MiB), at * MiB);
    const { packs: other } = await openNode(server.url.replace('/sites', '/killed'));
    await expect.poll(() => Array.fromAsync(other.list())).toEqual([pack]);
    await other.remove(pack);
    expect(await Array.fromAsync(other.list())).toEqual([]);
    await expect(file.seal(40 * MiB)).rejects.toMatchObject({ code: 'EIO' });
  });

  it('has a marker that the first of several nodes creates', async () => {
    const url = server.url.replace('/sites', '/marker');
    const nodes = await Promise.all([openNode(url), openNode(url)]);
    expect(await nodes[0]!.marker.read()).toBeNull();
    await Promise.all(nodes.map(({ marker }, i) => marker.create(`id-${i}`)));
    const [first, second] = await Promise.all(nodes.map(({ marker }) => marker.read()));
    expect(first).toMatch(/^id-[01]$/);
    expect(second).toBe(first);
  });

  it('does not let a missing bucket look like a missing pack', async () => {
    const { packs } = await openNode(server.url.replace('berth-test', 'missing-bucket'));
    const place = { pack: randomUUID(), offset: 0, length: 1 };
    await expect(packs.read(place)).rejects.toMatchObject({ code: 'EIO' });
    await expect(packs.modified(place.pack)).rejects.toMatchObject({ code: 'EIO' });
  });
});
