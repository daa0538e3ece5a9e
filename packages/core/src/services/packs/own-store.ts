import { randomUUID } from 'node:crypto';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import type { StoreMarker } from '../../storage/s3/store-marker.ts';

/** The name of the only row. */
const STORE = 'packs';

/**
 * Makes sure that the packs of the database are in the store. Otherwise deploys would fail, and the sweep and the doctor of two
 * installations would remove packs of each other. The first start with an object store marks it as that of the database.
 *
 * @param marker The marker of the object store; `null` for packs on the disk.
 * @throws Error that says what to do. Source: storage §13.
 */
export async function requireOwnStore(
  { database, packs }: Pick<Core, 'database' | 'packs'>,
  marker: StoreMarker | null,
): Promise<void> {
  const expected = await readStoreId(database);
  if (!marker) {
    if (expected !== null && (await newestPack(database)) !== null)
      throw new Error(
        'the packs of this database are in an object store; set STORAGE_URL. To move them to the disk, use backup and restore',
      );
    return;
  }
  const found = await marker.read();
  if (found !== null && found === expected) return;
  if (found !== null)
    throw new Error(
      `${marker.url} belongs to another database; use another bucket or prefix in STORAGE_URL. If no installation uses the bucket, remove that object`,
    );
  const pack = await newestPack(database);
  if (pack !== null && (await packs.modified(pack)) === null)
    throw new Error(
      `the packs of this database are not in the bucket of STORAGE_URL: ${marker.url} and the pack ${pack} are missing. Use the right bucket, or move packs from the disk with backup and restore`,
    );
  const id = expected ?? (await createStoreId(database));
  await marker.create(id);
  if ((await marker.read()) !== id)
    throw new Error(`${marker.url} was created by another database at the same time; use another bucket or prefix`);
}

/** Makes sure that no installation uses a store, before a restore writes to it. @throws Error that says what to do. */
export async function requireUnusedStore(marker: StoreMarker | null): Promise<void> {
  if (marker && (await marker.read()) !== null)
    throw new Error(
      `An installation uses the bucket of STORAGE_URL. Restore into another bucket or prefix. If no installation uses it, remove its packs and ${marker.url}.`,
    );
}

async function readStoreId(database: Core['database']): Promise<string | null> {
  const row = await db({ database })
    .selectFrom('pack_store_id')
    .select('id')
    .where('store', '=', STORE)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Several servers may start at the same time. */
async function createStoreId(database: Core['database']): Promise<string> {
  await db({ database })
    .insertInto('pack_store_id')
    .values({ store: STORE, id: randomUUID() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await readStoreId(database))!;
}

async function newestPack(database: Core['database']): Promise<string | null> {
  const query = db({ database }).selectFrom('pack').select('id').where('state', '=', 'sealed');
  return (await query.orderBy('sealed', 'desc').limit(1).executeTakeFirst())?.id ?? null;
}
