import type { NewPack, StoredContentsQuery } from './contents.ts';
import type { OpenPack } from './open-packs.ts';

/**
 * A new pack up to this size is made durable concurrently with the transaction that inserts its contents, whose locks
 * block others. A larger pack is made durable before it.
 */
const MAX_CONCURRENT_SEAL_BYTES = 64 * 1024 * 1024;

/**
 * Keeps the contents of a finished pack that are not stored yet, and starts to make them durable.
 *
 * @param isWanted Selects the contents to keep. Default: all.
 * @returns `null` if there are none.
 */
export async function sealNewContents(
  pack: OpenPack,
  storedContents: StoredContentsQuery,
  isWanted: (sha256: string) => boolean = () => true,
): Promise<NewPack | null> {
  const stored = await storedContents.result();
  await pack.retain((sha256) => isWanted(sha256) && !stored.has(sha256));
  const contents = pack.contents();
  if (contents.length === 0) return null;
  const sealed = pack.seal();
  if (contents.reduce((sum, { length }) => sum + length, 0) > MAX_CONCURRENT_SEAL_BYTES) await sealed;
  sealed.catch(() => {}); // The error reaches the code that awaits the promise. A deploy that is refused meanwhile does not await it.
  return { id: pack.id, contents, sealed };
}
