import { hash } from 'node:crypto';
import type { StoredBytes } from '../../serving/site.ts';
import type { PackStore } from '../../storage/packs.ts';
import { createLoadingCache } from './loading-cache.ts';

/** Reads small contents whole, and keeps those in memory that are asked for again and again. */
export interface HotContents {
  /** What is kept of a content; `undefined` when it has to be read. */
  peek(content: StoredBytes): Buffer | undefined;
  /**
   * The bytes of a content of at most {@link SMALL_CONTENT_BYTES}. They are shared: nobody changes them. However many ask at
   * once, it is read once.
   *
   * @throws with code `EBADMSG` rather than to hand on other bytes than the content is made of; what the store throws.
   */
  read(content: StoredBytes): Promise<Buffer>;
}

const MiB = 1024 * 1024;
/** Contents up to this size are read whole and kept; larger ones are streamed. */
export const SMALL_CONTENT_BYTES = 2 * MiB;
const DEFAULT_BYTES = 42 * MiB;
const ENTRY_BYTES = 500;

/**
 * Makes the reader. A content is kept from the second time on that it is read lately.
 *
 * @param maxBytes How much memory the contents may take; what was not asked for lately goes first. Source: security T36.
 */
export function createHotContents(packs: PackStore, { maxBytes = DEFAULT_BYTES } = {}): HotContents {
  const kept = createLoadingCache<Buffer>({
    maxBytes,
    sizeOf: ({ length }) => length + ENTRY_BYTES,
  });
  return {
    peek: ({ sha256 }) => kept.peek(sha256) ?? undefined,
    read: async (content) => (await kept.get(content.sha256, () => readChecked(packs, content)))!,
  };
}

async function readChecked(packs: PackStore, content: StoredBytes): Promise<Buffer> {
  const bytes = await packs.read(content);
  if (hash('sha256', bytes) === content.sha256) return bytes;
  throw Object.assign(
    new Error(`Pack ${content.pack} holds other bytes at ${content.offset} than the site consists of`),
    { code: 'EBADMSG' },
  );
}
