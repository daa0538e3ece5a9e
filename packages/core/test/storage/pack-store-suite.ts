import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { refusals } from '@berth/testing/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PackStore } from '../../src/storage/packs.ts';

/** An empty store, and a function that removes the store. */
export interface StoreUnderTest {
  store: PackStore;
  close(): Promise<void>;
}

/** More bytes than any implementation reads at once. */
const LARGE_BYTES = 700_001;

const newId = () => randomBytes(16).toString('hex');

/** Declares the tests that every pack store must pass. Source: storage §1. */
export function describePackStore(name: string, openStore: () => Promise<StoreUnderTest>): void {
  describe(`PackStore on ${name}`, () => {
    let test: StoreUnderTest;
    let store: PackStore;
    beforeAll(async () => {
      test = await openStore();
      store = test.store;
    });
    afterAll(() => test.close());

    /** Creates a sealed pack with the given bytes. */
    async function sealPack(bytes: Uint8Array): Promise<string> {
      const pack = newId();
      const file = await store.create(pack);
      await file.write(bytes, 0);
      await file.seal(bytes.length);
      return pack;
    }

    async function listPacks(): Promise<string[]> {
      const ids = await Array.fromAsync(store.list());
      expect(new Set(ids).size).toBe(ids.length);
      return ids;
    }

    describe('contents', () => {
      const bytes = randomBytes(LARGE_BYTES);
      let pack: string;
      beforeAll(async () => {
        pack = await sealPack(bytes);
      });

      it.each([
        ['the whole pack', 0, LARGE_BYTES],
        ['the first byte', 0, 1],
        ['the last byte', LARGE_BYTES - 1, 1],
        ['a part', 1_000, 64],
        ['a large part', 5, LARGE_BYTES - 10],
        ['nothing, at the start', 0, 0],
        ['nothing, at the end', LARGE_BYTES, 0],
      ])('of %s can be read and streamed', async (_, offset, length) => {
        const expectedBytes = bytes.subarray(offset, offset + length);
        expect((await store.read({ pack, offset, length })).equals(expectedBytes)).toBe(true);
        expect((await buffer(store.stream({ pack, offset, length }))).equals(expectedBytes)).toBe(true);
        expect((await store.scan().read({ pack, offset, length })).equals(expectedBytes)).toBe(true);
        expect((await buffer(store.scan().stream({ pack, offset, length }))).equals(expectedBytes)).toBe(true);
      });

      it('can be read one after another by a scan', async () => {
        const scan = store.scan();
        for (let offset = 0; offset < LARGE_BYTES; offset += 99_991) {
          const length = Math.min(99_991, LARGE_BYTES - offset);
          const expectedBytes = bytes.subarray(offset, offset + length);
          expect((await scan.read({ pack, offset, length })).equals(expectedBytes)).toBe(true);
        }
      });

      it.each([
        ['one byte past the end', 0, LARGE_BYTES + 1],
        ['wholly past the end', LARGE_BYTES, 1],
        ['far past the end', LARGE_BYTES * 10, 10],
      ])('cannot be read if the pack is too short for %s', async (_, offset, length) => {
        await expect(store.read({ pack, offset, length })).rejects.toThrow();
        await expect(buffer(store.stream({ pack, offset, length }))).rejects.toThrow();
        await expect(store.scan().read({ pack, offset, length })).rejects.toThrow();
      });

      it.each([[0], [1], [LARGE_BYTES]])(
        'of %s bytes cannot be read if the pack is missing, and the error has the code ENOENT',
        async (length) => {
          const place = { pack: newId(), offset: 0, length };
          await expect(store.read(place)).rejects.toMatchObject({ code: 'ENOENT' });
          await expect(buffer(store.stream(place))).rejects.toMatchObject({ code: 'ENOENT' });
          await expect(store.scan().read(place)).rejects.toMatchObject({ code: 'ENOENT' });
        },
      );

      it('can be read by many readers at once', async () => {
        const places = Array.from({ length: 40 }, (_, i) => ({ pack, offset: i * 17_000, length: 16_000 + i }));
        await Promise.all(
          places.map(async (place) => {
            const expectedBytes = bytes.subarray(place.offset, place.offset + place.length);
            expect((await buffer(store.stream(place))).equals(expectedBytes)).toBe(true);
          }),
        );
      });
    });

    it.runIf(process.platform === 'linux')(
      'I10: leaks no descriptor when a stream is destroyed early, at any time',
      async () => {
        const pack = await sealPack(randomBytes(LARGE_BYTES));
        const place = { pack, offset: 0, length: LARGE_BYTES };
        await store.read(place);
        const countDescriptors = async () => (await readdir('/proc/self/fd')).length;
        const openBefore = await countDescriptors();
        const leaveDownload = async (when: number) => {
          const stream = store.stream(place);
          const streamClosed = once(stream, 'close');
          if (when === 0) stream.destroy();
          if (when === 1) {
            stream.read();
            process.nextTick(() => stream.destroy());
          }
          if (when === 2) stream.once('data', () => stream.destroy());
          if (when === 3) {
            stream.resume();
            setImmediate(() => stream.destroy());
          }
          if (when === 4) for await (const _ of stream) break;
          if (when === 5) stream.on('error', () => {}).destroy(new Error('The client left'));
          await streamClosed.catch(() => {});
        };
        await Promise.all(Array.from({ length: 60 }, (_, i) => leaveDownload(i % 6)));
        // Each kind of download runs ten times. The connections of an object store are kept, and other tests may open a few.
        await expect.poll(countDescriptors).toBeLessThan(openBefore + 10);
      },
    );

    describe('a pack that is being written', () => {
      it('accepts bytes at any position, and returns the bytes before it is sealed', async () => {
        const file = await store.create(newId());
        await file.write(Buffer.from('world'), 5);
        await file.write(Buffer.from('hello'), 0);
        const bytes = Buffer.alloc(6);
        await file.read(bytes, 2);
        expect(bytes.toString()).toBe('llowor');
        await expect(file.read(Buffer.alloc(2), 9)).rejects.toThrow();
        await file.abandon();
      });

      it('is not affected by changes of the caller’s buffer after a write has resolved', async () => {
        const pack = newId();
        const file = await store.create(pack);
        const bytes = Buffer.alloc(300_000, 'a');
        await file.write(bytes, 0);
        bytes.fill('b');
        await file.seal(bytes.length);
        const storedBytes = await store.read({ pack, offset: 0, length: bytes.length });
        expect(storedBytes.equals(Buffer.alloc(300_000, 'a'))).toBe(true);
      });

      it('lets later writes overwrite earlier ones', async () => {
        const pack = newId();
        const file = await store.create(pack);
        await file.write(Buffer.from('first content'), 0);
        await file.write(Buffer.from('SECOND'), 6);
        await file.seal(12);
        expect((await store.read({ pack, offset: 0, length: 12 })).toString()).toBe('first SECOND');
      });

      it.each([[0], [1], [7], [10]])('has exactly the size passed to seal, such as %s of 10 bytes', async (size) => {
        const pack = newId();
        const file = await store.create(pack);
        await file.write(Buffer.from('0123456789'), 0);
        await file.seal(size);
        expect((await store.read({ pack, offset: 0, length: size })).toString()).toBe('0123456789'.slice(0, size));
        await expect(store.read({ pack, offset: 0, length: size + 1 })).rejects.toThrow();
      });

      it('can be sealed without any bytes', async () => {
        const pack = newId();
        await (await store.create(pack)).seal(0);
        expect(await listPacks()).toContain(pack);
      });
    });

    describe('a pack id', () => {
      it('can be used only once, and a second use leaves the first pack intact', async () => {
        const pack = newId();
        const file = await store.create(pack);
        await file.write(Buffer.from('first'), 0);
        await expect(store.create(pack)).rejects.toThrow();
        await file.seal(5);
        const useAgain = async () => (await store.create(pack)).seal(0);
        await expect(useAgain()).rejects.toThrow();
        expect((await store.read({ pack, offset: 0, length: 5 })).toString()).toBe('first');
      });

      it('can be used only once, even by concurrent callers', async () => {
        const pack = newId();
        const created = Array.from({ length: 8 }, () => store.create(pack));
        const file = await Promise.any(created);
        expect(await refusals(created)).toHaveLength(7);
        await file.abandon();
      });

      it('is listed once while its pack exists, sealed or not', async () => {
        const openPack = newId();
        const file = await store.create(openPack);
        const packs = await Promise.all(Array.from({ length: 20 }, (_, i) => sealPack(Buffer.from(`pack ${i}`))));
        const ids = await listPacks();
        for (const id of [openPack, ...packs]) expect(ids).toContain(id);
        await store.remove(packs[0]!);
        await file.abandon();
        const packsAfter = await listPacks();
        expect(ids.filter((id) => !packsAfter.includes(id)).toSorted()).toEqual([openPack, packs[0]!].toSorted());
      });
    });

    describe('the function modified', () => {
      it('returns when a pack was last written, sealed or not, and null for a missing pack', async () => {
        const earliestMs = Date.now() - 2_000;
        const openPack = newId();
        const file = await store.create(openPack);
        for (const pack of [openPack, await sealPack(Buffer.from('bytes'))]) {
          const modifiedMs = (await store.modified(pack))!.getTime();
          expect(modifiedMs).toBeGreaterThan(earliestMs);
          expect(modifiedMs).toBeLessThan(Date.now() + 2_000);
        }
        await file.abandon();
        expect(await store.modified(openPack)).toBeNull();
        expect(await store.modified(newId())).toBeNull();
      });
    });

    describe('a pack that is removed', () => {
      it('no longer exists, and can be removed again without an error', async () => {
        const pack = await sealPack(Buffer.from('bytes'));
        await store.remove(pack);
        await store.remove(pack);
        await expect(store.read({ pack, offset: 0, length: 5 })).rejects.toMatchObject({ code: 'ENOENT' });
        expect(await listPacks()).not.toContain(pack);
      });

      it('no longer exists if it was abandoned empty, written, twice, removed by another process, or sealed', async () => {
        const packs = Array.from({ length: 5 }, newId);
        const [empty, written, twice, removed, done] = await Promise.all(packs.map((pack) => store.create(pack)));
        await empty!.abandon();
        await written!.write(randomBytes(100_000), 0);
        await written!.abandon();
        await twice!.abandon();
        await twice!.abandon();
        await store.remove(packs[3]!);
        await removed!.abandon();
        await done!.seal(0);
        await done!.abandon();
        const ids = await listPacks();
        for (const pack of packs) expect(ids).not.toContain(pack);
      });
    });

    it('can be checked for room, which leaves nothing in the store', async () => {
      const packs = await listPacks();
      await Promise.all([store.checkWritable(), store.checkWritable()]);
      expect(await listPacks()).toEqual(packs);
    });
  });
}
