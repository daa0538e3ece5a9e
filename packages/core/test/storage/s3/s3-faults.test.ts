import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type S3Fault, type S3Operation, type S3Stub, startS3Stub } from '@berth/testing/s3-stub';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PackStore } from '../../../src/storage/packs.ts';
import type { S3Packs } from '../../../src/storage/s3/s3-packs.ts';
import { openS3Stub } from './open-s3-stub.ts';

const MiB = 1024 * 1024;

let stub: S3Stub;
let folder: string;
let store: PackStore;
const opened: S3Packs[] = [];

/** Opens the store as another node does, which has nothing in its cache. */
async function openNode(options: Parameters<typeof openS3Stub>[2] = {}): Promise<PackStore> {
  const node = await openS3Stub(stub, await mkdtemp(join(folder, 'node-')), options);
  opened.push(node);
  return node.packs;
}

beforeEach(async () => {
  stub = await startS3Stub();
  folder = await mkdtemp(join(tmpdir(), 'berth-s3-'));
  store = await openNode();
});
afterEach(async () => {
  for (const node of opened.splice(0)) await node.close();
  await stub.close();
  await rm(folder, { recursive: true });
});

async function writePack(bytes: Uint8Array, packs = store) {
  const pack = randomUUID();
  const file = await packs.create(pack);
  for (let at = 0; at < bytes.length; at += MiB / 2) await file.write(bytes.subarray(at, at + MiB / 2), at);
  return { pack, file };
}

async function sealPack(bytes: Uint8Array): Promise<string> {
  const { pack, file } = await writePack(bytes);
  await file.seal(bytes.length);
  return pack;
}

async function expectBytes(pack: string, bytes: Uint8Array, packs?: PackStore): Promise<void> {
  const reader = packs ?? (await openNode());
  const stored = await buffer(reader.stream({ pack, offset: 0, length: bytes.length }));
  expect(stored.equals(bytes)).toBe(true);
}

const requestsFor = (operation: S3Operation) =>
  stub.requests.filter((request) => request.operation === operation).length;
const times = (count: number, fault: S3Fault): S3Fault[] => Array.from({ length: count }, () => fault);

describe('a store whose clock differs by hours', () => {
  it('is asked once for what it does not have, and gets everything else', async () => {
    stub.aheadMs = -5 * 60 * 60 * 1000;
    const bytes = randomBytes(2_000);
    await expectBytes(await sealPack(bytes), bytes);
    expect(await store.modified(randomUUID())).toBeNull();
    expect(requestsFor('HeadObject')).toBe(1);
  });
});

describe('a pack that is stored', () => {
  it('is one object, by one request, if it has 2,000 small files', async () => {
    const bytes = randomBytes(2_000 * 3_000);
    await expectBytes(await sealPack(bytes), bytes);
    expect(requestsFor('PutObject')).toBe(1);
    expect(stub.requests.filter(({ operation }) => operation !== 'GetObject')).toHaveLength(1);
    expect(stub.objects.size).toBe(1);
  });

  it.each<[S3Operation, number, S3Fault[]]>([
    ['PutObject', 1, ['slow down']],
    ['PutObject', 1, ['internal error']],
    ['PutObject', 1, ['lost answer']],
    ['CreateMultipartUpload', 20, ['slow down']],
    ['UploadPart', 20, ['slow down', 'lost answer']],
    ['CompleteMultipartUpload', 20, ['slow down']],
    ['CompleteMultipartUpload', 20, ['lost answer']],
  ])('is complete although %s of %s MiB first fails with %j', async (operation, size, faults) => {
    stub.fail(operation, ...faults);
    const bytes = randomBytes(size * MiB);
    await expectBytes(await sealPack(bytes), bytes);
    expect(stub.objects.size).toBe(1);
  });

  it.each<[S3Operation, number]>([
    ['PutObject', 1],
    ['CreateMultipartUpload', 20],
    ['UploadPart', 20],
    ['CompleteMultipartUpload', 20],
  ])(
    'fails like a broken disk while the store refuses %s, and leaves nothing after it was abandoned',
    async (operation, size) => {
      stub.fail(operation, ...times(40, 'internal error'));
      const bytes = randomBytes(size * MiB);
      const { file } = await writePack(bytes);
      await expect(file.seal(bytes.length)).rejects.toMatchObject({ code: 'EIO' });
      await file.abandon();
      expect([stub.objects.size, stub.uploads.size]).toEqual([0, 0]);
    },
  );

  it('does not replace the object of another upload with the same id and size', async () => {
    const { pack, file } = await writePack(Buffer.from('first'));
    const second = await (await openNode()).create(pack);
    await second.write(Buffer.from('other'), 0);
    await file.seal(5);
    await expect(second.seal(5)).rejects.toMatchObject({ code: 'EIO' });
    await expectBytes(pack, Buffer.from('first'));
  });

  it('contains what was written last, also where its parts were sent before', async () => {
    const bytes = randomBytes(42 * MiB);
    const { pack, file } = await writePack(bytes);
    const changed = randomBytes(3 * MiB);
    await file.write(changed, 7 * MiB);
    bytes.set(changed, 7 * MiB);
    const size = 33 * MiB + 17;
    await file.seal(size);
    await expectBytes(pack, bytes.subarray(0, size));
    expect(stub.uploads.size).toBe(0);
  });

  it('is sent with one request if little of it is kept', async () => {
    const bytes = randomBytes(20 * MiB);
    const { pack, file } = await writePack(bytes);
    await file.seal(100);
    await expectBytes(pack, bytes.subarray(0, 100));
    expect([requestsFor('PutObject'), stub.uploads.size]).toEqual([1, 0]);
  });

  it('leaves parts if its process is killed, which another process lists and removes', async () => {
    const { pack, file } = await writePack(randomBytes(30 * MiB));
    await expect.poll(() => stub.uploads.size).toBe(1);
    const other = await openNode();
    expect(await Array.fromAsync(other.list())).toEqual([pack]);
    expect(Math.abs(Date.now() - (await other.modified(pack))!.getTime())).toBeLessThan(60_000);
    await other.remove(pack);
    expect([stub.uploads.size, await Array.fromAsync(other.list())]).toEqual([0, []]);
    await expect(file.seal(30 * MiB)).rejects.toMatchObject({ code: 'EIO' });
  });

  it('is listed once, however many packs there are', async () => {
    const packs = await Promise.all(Array.from({ length: 45 }, () => sealPack(Buffer.from('x'))));
    expect((await Array.fromAsync(store.list())).toSorted()).toEqual(packs.toSorted());
  });
});

describe('a content that is read', () => {
  it('costs at most two requests together with the 30 files of its page', async () => {
    const bytes = randomBytes(6 * MiB);
    const pack = await sealPack(bytes);
    const places = Array.from({ length: 30 }, (_, i) => ({ pack, offset: 3 * MiB + i * 70_000, length: 65_000 + i }));
    const node = await openNode();
    const read = await Promise.all(places.map((place) => node.read(place)));
    for (const [i, { offset, length }] of places.entries())
      expect(read[i]!.equals(bytes.subarray(offset, offset + length))).toBe(true);
    expect(requestsFor('GetObject')).toBe(2);
  });

  it.each<[string, S3Fault[]]>([
    ['is cut', ['cut', 'cut']],
    ['has a changed byte', ['changed']],
    ['is refused', ['slow down', 'internal error']],
    ['is lost', ['lost answer']],
  ])('is correct although the first response %s', async (_, faults) => {
    const bytes = randomBytes(100_000);
    const pack = await sealPack(bytes);
    stub.fail('GetObject', ...faults);
    await expectBytes(pack, bytes);
  });

  it.each<[S3Fault, string]>([
    ['changed', 'EBADMSG'],
    ['cut', 'EIO'],
    ['internal error', 'EIO'],
  ])('fails while each response is "%s", with the code %s, and is correct later', async (fault, code) => {
    const bytes = randomBytes(2 * MiB);
    const pack = await sealPack(bytes);
    const node = await openNode();
    stub.fail('GetObject', ...times(code === 'EBADMSG' ? 3 : 4, fault));
    await expect(node.read({ pack, offset: 5, length: 100 })).rejects.toMatchObject({ code });
    stub.clearFaults();
    await expectBytes(pack, bytes, await openNode());
  });

  it('is refused if the object is that of another pack, or too short', async () => {
    const [pack, other] = [await sealPack(randomBytes(3 * MiB)), await sealPack(randomBytes(3 * MiB))];
    const objectOf = (id: string) => stub.objects.get(`sites/packs/${id}`)!;
    const correct = objectOf(pack);
    for (const bytes of [objectOf(other).bytes, correct.bytes.subarray(0, 2 * MiB), correct.bytes.subarray(1)]) {
      stub.objects.set(`sites/packs/${pack}`, { ...correct, bytes });
      await expect((await openNode()).read({ pack, offset: 2 * MiB, length: 10 })).rejects.toThrow();
    }
  });

  it.each(['s3://missing-bucket/sites', 's3://berth-test/other'])(
    'is not missing because of a wrong bucket, unlike with a wrong prefix (%s)',
    async (url) => {
      const pack = await sealPack(Buffer.from('x'));
      const wrong = await openNode({ url: `${url}?endpoint=${stub.endpoint}&path-style=1` });
      const [code, modified] = url.includes('missing') ? ['EIO', 'EIO'] : ['ENOENT', null];
      await expect(wrong.read({ pack, offset: 0, length: 1 })).rejects.toMatchObject({ code });
      expect(await wrong.modified(pack).catch((error: NodeJS.ErrnoException) => error.code)).toBe(modified);
    },
  );
});

describe('the cache on the disk', () => {
  const MAX_BYTES = 16 * MiB;
  let home: string;
  let node: S3Packs;
  beforeEach(async () => {
    home = await mkdtemp(join(folder, 'cached-'));
    node = await openProcess();
  });

  /** Opens the store as another process of the same node does. */
  async function openProcess(): Promise<S3Packs> {
    const process = await openS3Stub(stub, home, { cacheBytes: MAX_BYTES });
    opened.push(process);
    return process;
  }

  async function cachePack(bytes: Uint8Array): Promise<string> {
    const { pack, file } = await writePack(bytes, node.packs);
    await file.seal(bytes.length);
    await node.settled();
    return pack;
  }

  async function cachedFiles(): Promise<string[]> {
    const names = await readdir(join(home, 'cache'), { recursive: true });
    return names.filter((name) => name.includes('.')).map((name) => join(home, 'cache', name));
  }

  it('has a new pack, which costs no request to read, also in another process of the machine', async () => {
    const bytes = randomBytes(3 * MiB);
    const pack = await cachePack(bytes);
    await expectBytes(pack, bytes, node.packs);
    await expectBytes(pack, bytes, (await openProcess()).packs);
    expect(requestsFor('GetObject')).toBe(0);
  });

  it('never serves a damaged file, and replaces it', async () => {
    const bytes = randomBytes(2 * MiB);
    const pack = await cachePack(bytes);
    const files = await cachedFiles();
    expect(files).toHaveLength(2);
    for (const [i, file] of files.entries()) {
      const damaged = await readFile(file);
      damaged[1_000]! ^= 1;
      await writeFile(file, i === 0 ? damaged : '');
    }
    await expectBytes(pack, bytes, node.packs);
    await node.settled();
    await expectBytes(pack, bytes, (await openProcess()).packs);
    expect(requestsFor('GetObject')).toBe(1);
  });

  it('has no file of a pack that was removed', async () => {
    const pack = await cachePack(randomBytes(2 * MiB));
    await node.packs.remove(pack);
    expect(await cachedFiles()).toEqual([]);
    await expect(node.packs.read({ pack, offset: 0, length: 1 })).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('has no file of a pack that was removed while it was copied to the cache', async () => {
    const bytes = randomBytes(7 * MiB);
    const { pack, file } = await writePack(bytes, node.packs);
    await file.seal(bytes.length);
    await node.packs.remove(pack);
    expect(await cachedFiles()).toEqual([]);
    await expect(node.packs.read({ pack, offset: 0, length: 1 })).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('has no file of a pack that was removed while it was read', async () => {
    const pack = await sealPack(randomBytes(4 * MiB));
    const place = { pack, offset: 0, length: 1 };
    const [key, object] = [...stub.objects].find(([name]) => name.endsWith(pack))!;
    const [requested, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    stub.onRequest = (operation) => operation === 'GetObject' && requested.resolve();
    stub.fail('GetObject', answered.promise);
    const reading = node.packs.read(place);
    await requested.promise;
    const removing = node.packs.remove(pack);
    await expect.poll(() => requestsFor('DeleteObject')).toBe(1);
    // The response to the read, which was sent earlier, arrives now.
    stub.objects.set(key, object);
    answered.resolve();
    await Promise.all([reading, removing, node.settled()]);
    stub.objects.delete(key);
    expect(await cachedFiles()).toEqual([]);
    await expect(node.packs.read(place)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('stays below its maximum, and keeps what was used last', async () => {
    const packs: string[] = [];
    for (let i = 0; i < 25; i += 1) {
      packs.push(await cachePack(randomBytes(MiB)));
      const sizes = await Promise.all((await cachedFiles()).map(async (file) => (await stat(file)).size));
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_BYTES);
      // A file that is read counts as new.
      await (await openProcess()).packs.read({ pack: packs[0]!, offset: 0, length: 1 });
    }
    const names = (await cachedFiles()).join();
    const kept = packs.filter((pack) => names.includes(pack));
    expect(kept).toEqual([packs[0], ...packs.slice(1 - kept.length)]);
    expect(kept.length).toBeGreaterThan(10);
    expect(requestsFor('GetObject')).toBe(0);
  });

  it('is not needed: a content is read from the store while the cache cannot be written', async () => {
    const bytes = randomBytes(MiB);
    const pack = await sealPack(bytes);
    await rm(join(home, 'cache'), { recursive: true });
    await expectBytes(pack, bytes, node.packs);
  });
});
