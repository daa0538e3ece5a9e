import type { NewPack, StoredLookup } from './contents.ts';
import type { OpenPack } from './open-packs.ts';

/**
 * A new pack up to this size is made durable beside the transaction that enters its contents, whose locks others wait for;
 * a larger one before it.
 */
const MOST_BYTES_BESIDE = 64 * 1024 * 1024;

/**
 * Keeps the contents of a finished pack that nobody has stored yet, and begins to make them durable.
 *
 * @param isWanted Names the contents that are to be kept at all. Default: every one.
 * @returns `null` when there are none.
 */
export async function sealNew(
  pack: OpenPack,
  lookup: StoredLookup,
  isWanted: (sha256: string) => boolean = () => true,
): Promise<NewPack | null> {
  const stored = await lookup.result();
  await pack.retain((sha256) => isWanted(sha256) && !stored.has(sha256));
  const contents = pack.contents();
  if (contents.length === 0) return null;
  const sealed = pack.seal();
  if (contents.reduce((sum, { length }) => sum + length, 0) > MOST_BYTES_BESIDE) await sealed;
  sealed.catch(() => {}); // Whoever waits for it hears of it; a deploy that is refused meanwhile does not.
  return { id: pack.id, contents, sealed };
}
