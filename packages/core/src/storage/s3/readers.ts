import { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import type { ContentLocation, PackReader } from '../packs.ts';
import type { Background } from './background.ts';
import type { BlockCache } from './block-cache.ts';
import { BLOCK_BYTES } from './blocks.ts';
import type { ReadBlocks } from './ranges.ts';

/** Returns the bytes of a block; an empty buffer after the end of the pack. */
type BlockSource = (pack: string, number: number) => Promise<Buffer>;

/** What visitors read: a request returns this many blocks, because the files of a site are side by side. */
const GROUP_BLOCKS = 4;
/** What jobs read that read whole packs. */
const SCAN_BLOCKS = 8;
/** Verified blocks in memory, so that the files of a page verify a block once. */
const MEMORY_BYTES = 16 * BLOCK_BYTES;
const CHUNK_BYTES = 256 * 1024;
const NOTHING = Buffer.alloc(0);

export interface CachedReaderParts {
  readBlocks: ReadBlocks;
  cache: BlockCache;
  background: Background;
}

/** Reads contents through a cache. Concurrent readers of neighbouring blocks cause one request. */
export function createCachedReader({
  readBlocks,
  cache,
  background,
}: CachedReaderParts): PackReader & { forget(pack: string): void } {
  const memory = new LRUCache<string, Buffer>({ maxSize: MEMORY_BYTES, sizeCalculation: ({ length }) => length });
  const groups = createSingleFlight<readonly Buffer[]>();
  const blocks = createSingleFlight<Buffer>();

  async function readGroup(pack: string, first: number): Promise<readonly Buffer[]> {
    const read = await readBlocks({ pack, first, count: GROUP_BLOCKS });
    return read.map(({ bytes, stored }, i) => {
      void background.run(pack, () => cache.write(pack, first + i, stored));
      // A copy, because a part of a buffer keeps all of it in memory.
      const block = Buffer.from(bytes);
      memory.set(`${pack}/${first + i}`, block);
      return block;
    });
  }

  async function loadBlock(pack: string, number: number): Promise<Buffer> {
    const cached = await cache.read(pack, number);
    if (cached) {
      memory.set(`${pack}/${number}`, cached);
      return cached;
    }
    const first = number - (number % GROUP_BLOCKS);
    const group = await groups(`${pack}/${first}`, () => readGroup(pack, first));
    return group[number - first] ?? NOTHING;
  }

  const source: BlockSource = async (pack, number) => {
    const key = `${pack}/${number}`;
    return memory.get(key) ?? blocks(key, () => background.run(pack, () => loadBlock(pack, number)));
  };
  return {
    ...createReader(source),
    forget(pack) {
      for (const key of memory.keys()) if (key.startsWith(`${pack}/`)) memory.delete(key);
    },
  };
}

/** Reads contents in their order with large requests, past all caches. */
export function createScanReader(readBlocks: ReadBlocks): PackReader {
  let window: { key: string; blocks: Promise<readonly Buffer[]> } | null = null;
  return createReader(async (pack, number) => {
    const first = number - (number % SCAN_BLOCKS);
    const key = `${pack}/${first}`;
    if (window?.key !== key) {
      const read = readBlocks({ pack, first, count: SCAN_BLOCKS });
      window = { key, blocks: read.then((found) => found.map(({ bytes }) => bytes)) };
    }
    return (await window.blocks)[number - first] ?? NOTHING;
  });
}

/** Shares the result of a function between concurrent callers with the same key. */
function createSingleFlight<T>(): (key: string, run: () => Promise<T>) => Promise<T> {
  const running = new Map<string, Promise<T>>();
  return (key, run) => {
    let result = running.get(key);
    if (!result) {
      result = run().finally(() => running.delete(key));
      running.set(key, result);
    }
    return result;
  };
}

function createReader(source: BlockSource): PackReader {
  return {
    async read(place) {
      const bytes = Buffer.allocUnsafeSlow(place.length);
      let filled = 0;
      for await (const piece of piecesOf(source, place)) filled += piece.copy(bytes, filled);
      return bytes;
    },
    stream: (place) => Readable.from(chunksOf(source, place), { objectMode: false }),
  };
}

/** Yields copies, so that a slow reader does not keep a whole block in memory. */
async function* chunksOf(source: BlockSource, place: ContentLocation): AsyncGenerator<Buffer> {
  for await (const piece of piecesOf(source, place)) yield Buffer.from(piece);
}

/** Yields a content in pieces of at most {@link CHUNK_BYTES}. Also reads one block for an empty content, which finds a missing pack. */
async function* piecesOf(source: BlockSource, { pack, offset, length }: ContentLocation): AsyncGenerator<Buffer> {
  if (length === 0) await source(pack, Math.floor(Math.max(0, offset - 1) / BLOCK_BYTES));
  for (let done = 0; done < length;) {
    const position = offset + done;
    const block = await source(pack, Math.floor(position / BLOCK_BYTES));
    const from = position % BLOCK_BYTES;
    const piece = block.subarray(from, from + Math.min(CHUNK_BYTES, length - done));
    if (piece.length === 0) throw new Error(`Pack ${pack} ends before byte ${offset + length}`);
    done += piece.length;
    yield piece;
  }
}
