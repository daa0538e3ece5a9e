import { Readable } from 'node:stream';
import type { StoredBytes } from '@berth/serving';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import type { ContentLocation } from '../../storage/packs.ts';
import { isOneOf } from './contents.ts';

/** Reads a small content like {@link streamContent}. @throws with the code `ENOENT` if it is not stored. */
export async function readContent(core: Core, content: StoredBytes): Promise<Buffer> {
  try {
    return await core.packs.read(content);
  } catch (error) {
    return core.packs.read(await newLocation(core, content, error));
  }
}

/** Reads a small content like {@link readContent}. Returns `null` if it is missing: it was swept in the meantime, or lost. */
export async function readContentOrNull(core: Core, content: StoredBytes): Promise<Buffer | null> {
  try {
    return await readContent(core, content);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined && code !== 'ENOENT') throw error;
    return null;
  }
}

/**
 * Streams a content whose location was read some time ago. If its pack is gone, the content may have moved to another one, so its
 * location is read again, once. The stream emits an error with the code `ENOENT` if the content is not stored. Source: storage C3.
 */
export function streamContent(core: Core, content: StoredBytes): Readable {
  return Readable.from(chunksOf(core, content), { objectMode: false });
}

async function* chunksOf(core: Core, content: StoredBytes): AsyncGenerator<Buffer> {
  let hasBegun = false;
  try {
    for await (const chunk of core.packs.stream(content)) {
      hasBegun = true;
      yield chunk as Buffer;
    }
  } catch (error) {
    if (hasBegun) throw error;
    yield* core.packs.stream(await newLocation(core, content, error)) as AsyncIterable<Buffer>;
  }
}

/** @throws `error` if it does not say that the pack is missing, or if the content has no other location. */
async function newLocation(
  core: Core,
  { sha256, pack, length }: StoredBytes,
  error: unknown,
): Promise<ContentLocation> {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  const found = await db(core)
    .selectFrom('content')
    .select(['pack_id as pack', 'offset'])
    .where(isOneOf([sha256]))
    .executeTakeFirst();
  if (!found || found.pack === pack) throw error;
  return { ...found, length };
}
