import { failpoint } from '../../failpoints.ts';
import type { PackFile } from '../packs.ts';
import { readFully, writeFully } from '../whole-bytes.ts';
import type { Background } from './background.ts';
import type { BlockCache } from './block-cache.ts';
import { divideStored } from './blocks.ts';
import { PART_BYTES } from './bodies.ts';
import { SINGLE_BYTES, type Upload, type UploadSource } from './upload.ts';

export interface SpooledPackParts {
  source: UploadSource;
  upload: Upload;
  cache: BlockCache;
  background: Background;
  /** Called when the pack is sealed or abandoned. */
  onEnd(): void;
  /** Removes the pack from the store. */
  remove(): Promise<void>;
}

/** A pack that is being written to a local file, and uploaded when it is sealed. The file has no name, so that a crash leaves nothing. */
export function spooledPack({ source, upload, cache, background, onEnd, remove }: SpooledPackParts): PackFile {
  const { file, pack } = source;
  let endsAt = 0;
  let closing: Promise<void> | null = null;
  const close = () => (closing ??= file.close());

  /** Sends the parts that are complete, while more bytes arrive. */
  function sendCompleteParts(): void {
    if (endsAt <= SINGLE_BYTES) return;
    for (let part = 0; (part + 1) * PART_BYTES <= endsAt; part += 1) upload.begin(part);
  }

  return {
    async write(bytes, position) {
      upload.invalidate(position, bytes.length);
      await writeFully(file, bytes, position);
      const isAppended = position === endsAt;
      endsAt = Math.max(endsAt, position + bytes.length);
      if (isAppended) sendCompleteParts();
    },
    read: (bytes, position) => readFully(file, bytes, position),
    async seal(size) {
      try {
        if (size < endsAt) {
          await file.truncate(size);
          upload.invalidate(size, endsAt - size);
        }
        const stored = await upload.finish(size);
        failpoint('pack.synced');
        // The first visits and the compression read a new pack soon. The deploy does not wait for the copy.
        if (stored) void background.run(pack, () => cacheBlocks(pack, stored, cache));
      } finally {
        onEnd();
        await close();
      }
    },
    async abandon() {
      onEnd();
      await upload.abort();
      await close();
      if (upload.hasBegun) await remove();
    },
  };
}

async function cacheBlocks(pack: string, stored: Buffer, cache: BlockCache): Promise<void> {
  for (const [number, block] of divideStored(stored).entries()) await cache.write(pack, number, block);
}
