import { failpoint } from '../../failpoints.ts';
import { writeFully } from '../direct-writer.ts';
import type { PackFile } from '../packs.ts';
import type { Background } from './background.ts';
import type { BlockCache } from './block-cache.ts';
import { BLOCK_BYTES, divideStored } from './blocks.ts';
import { PART_BYTES, readFully, readStored, SINGLE_BYTES, type Upload, type UploadSource } from './upload.ts';

/** A larger pack is not copied to the cache, because it would replace too much. */
const MAX_CACHED_BYTES = 64 * BLOCK_BYTES;

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
        await file.truncate(size);
        upload.invalidate(size, endsAt - size);
        await upload.finish(size);
        failpoint('pack.synced');
      } catch (error) {
        onEnd();
        await close();
        throw error;
      }
      onEnd();
      // The first visits and the compression read the pack soon. The deploy does not wait for it.
      background.run(() =>
        cachePack(source, size, cache)
          .catch(() => {})
          .finally(close),
      );
    },
    async abandon() {
      onEnd();
      await upload.abort();
      await close();
      if (upload.hasBegun) await remove();
      await cache.forget(pack);
    },
  };
}

async function cachePack(source: UploadSource, size: number, cache: BlockCache): Promise<void> {
  if (size > MAX_CACHED_BYTES) return;
  for (let at = 0; at < size; at += PART_BYTES) {
    const stored = await readStored(source, at, Math.min(PART_BYTES, size - at));
    for (const [i, block] of divideStored(stored).entries())
      await cache.write(source.pack, at / BLOCK_BYTES + i, block);
  }
}
