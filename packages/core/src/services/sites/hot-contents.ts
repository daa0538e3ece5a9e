import { hash } from 'node:crypto';
import type { StoredBytes } from '@berth/serving';
import type { PackStore } from '../../storage/packs.ts';
import { createLoadingCache } from './loading-cache.ts';

/** Reads small contents whole, and keeps frequently requested ones in memory. */
export interface HotContents {
  peek(content: StoredBytes): Buffer | undefined;
  /**
   * Reads a content of at most {@link SMALL_CONTENT_BYTES}. The buffer is shared and must not be changed. Concurrent
   * requests for a content cause one read.
   *
   * @throws with code `EBADMSG` if the bytes do not match the hash of the content; the errors of the store.
   */
  read(content: StoredBytes): Promise<Buffer>;
}

const MiB = 1024 * 1024;
/** Maximum size of a content that is read whole and cached. Larger contents are streamed. */
export const SMALL_CONTENT_BYTES = 2 * MiB;
const DEFAULT_BYTES = 42 * MiB;
const ENTRY_BYTES = 500;

/** @param maxBytes The maximum memory for the contents. Source: security T36. */
export function createHotContents(packs: PackStore, { maxBytes = DEFAULT_BYTES } = {}): HotContents {
  const cache = createLoadingCache<Buffer>({ name: 'content', maxBytes, sizeOf: ({ length }) => length + ENTRY_BYTES });
  return {
    peek: ({ sha256 }) => cache.peek(sha256) ?? undefined,
    read: async (content) => (await cache.get(content.sha256, () => readChecked(packs, content)))!,
  };
}

async function readChecked(packs: PackStore, content: StoredBytes): Promise<Buffer> {
  const bytes = await packs.read(content);
  if (hash('sha256', bytes) === content.sha256) return bytes;
  throw Object.assign(new Error(`Pack ${content.pack} does not contain the expected bytes at ${content.offset}`), {
    code: 'EBADMSG',
  });
}
