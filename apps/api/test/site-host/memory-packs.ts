import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { PackStore } from '@berth/core';
import type { Manifest } from '@berth/serving';

const CHUNK_BYTES = 64 * 1024;

/** Packs in memory. Tests may read and change the bytes, and read the number of open streams. */
export interface MemoryPacks extends PackStore {
  contents: Map<string, Buffer>;
  openStreams: () => number;
}

export function memoryPacks(): MemoryPacks {
  const contents = new Map<string, Buffer>();
  let streams = 0;

  function get(pack: string): Buffer {
    const bytes = contents.get(pack);
    if (!bytes) throw Object.assign(new Error(`no pack ${pack}`), { code: 'ENOENT', syscall: 'open' });
    return bytes;
  }

  async function* chunks(pack: string, start: number, end: number): AsyncGenerator<Buffer> {
    streams += 1;
    try {
      for (let at = start; at < end; at += CHUNK_BYTES) {
        const chunk = get(pack).subarray(at, Math.min(at + CHUNK_BYTES, end));
        if (chunk.length === 0) throw new Error('the pack is too short');
        yield chunk;
        await new Promise(setImmediate);
      }
    } finally {
      streams -= 1;
    }
  }

  return {
    contents,
    openStreams: () => streams,
    async create(pack) {
      contents.set(pack, Buffer.alloc(0));
      return {
        async write(bytes, position) {
          const grown = Buffer.alloc(Math.max(get(pack).length, position + bytes.length));
          get(pack).copy(grown);
          grown.set(bytes, position);
          contents.set(pack, grown);
        },
        async read(bytes, position) {
          bytes.set(get(pack).subarray(position, position + bytes.length));
        },
        async seal(size) {
          contents.set(pack, get(pack).subarray(0, size));
        },
        async abandon() {
          contents.delete(pack);
        },
      };
    },
    stream: ({ pack, offset, length }) => Readable.from(chunks(pack, offset, offset + length), { objectMode: false }),
    read: async ({ pack, offset, length }) => get(pack).subarray(offset, offset + length),
    modified: async (pack) => (contents.has(pack) ? new Date() : null),
    async remove(pack) {
      contents.delete(pack);
    },
    async *list() {
      yield* contents.keys();
    },
  };
}

/** Writes files into a new pack of a store, one after the other. @returns Their places. */
export async function pack(packs: PackStore, id: string, files: Record<string, string | Buffer>): Promise<Manifest> {
  const manifest = new Map();
  const file = await packs.create(id);
  let offset = 0;
  for (const [path, content] of Object.entries(files)) {
    const bytes = Buffer.from(content as string);
    await file.write(bytes, offset);
    manifest.set(path, {
      pack: id,
      offset,
      length: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    offset += bytes.length;
  }
  await file.seal(offset);
  return manifest;
}
