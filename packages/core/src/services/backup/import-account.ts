import type { Client } from 'pg';
import type { Core } from '../../core.ts';
import { prepareCopySession } from '../../database/copy.ts';
import type { BackupSource } from '../../storage/backup-reader.ts';
import { FENCE_LOCK_ID } from '../packs/fence.ts';
import { recordHeartbeat } from '../sweep/sweep.ts';
import { ACCOUNT_TABLES } from './account-tables.ts';
import { type AdoptOptions, adoptAccount, type AdoptedAccount } from './adopt-account.ts';
import { openBackup } from './chain.ts';
import { ContentImporter, type SealedPack } from './content-importer.ts';
import { RowLoader } from './row-loader.ts';
import { requireKnownSchema } from './tables.ts';

const HEARTBEAT_MS = 30_000;

/**
 * Adds an exported account to this installation: all or nothing, while servers are running.
 *
 * The contents are stored first. Then one transaction, under the fence, adds the rows with the names that are free here.
 * Custom domains must be verified again, because the proofs depend on `SECRET_KEY`.
 *
 * @throws Error if the file is not the export of an account, or has another schema, or if the e-mail address is in use;
 *   DamagedBackupError. Source: api §12; storage L2.
 */
export async function importAccount(core: Core, source: BackupSource, options: AdoptOptions): Promise<AdoptedAccount> {
  const file = await openBackup(source, 'account');
  const session = await core.database.connect();
  const contents = new ContentImporter(core, session);
  // Without heartbeats, the sweep of a server drops the packs of this process.
  await recordHeartbeat(core);
  const heartbeat = setInterval(() => void recordHeartbeat(core).catch(() => {}), HEARTBEAT_MS);
  try {
    await prepareCopySession(session);
    const schema = await requireKnownSchema(session);
    const { manifest, label } = file;
    if (manifest.schema !== schema)
      throw new Error(
        `${label} has schema ${manifest.schema}, written by Berth ${manifest.berth}, and this installation has schema ${schema}. Use the same version of Berth for the export and the import.`,
      );
    for (const table of Object.keys(ACCOUNT_TABLES))
      await session.query(`create temporary table "imported_${table}" (like "${table}")`);
    await session.query('create temporary table imported_content (like content)');
    const rows = new RowLoader(session, file, { prefix: 'imported_' });
    for await (const member of file.members)
      if (member.name.startsWith('contents/')) await contents.add(member);
      else await rows.load(member);
    await rows.finish();
    return await commit(session, core, await contents.finish(), () => adoptAccount(session, core, manifest, options));
  } finally {
    clearInterval(heartbeat);
    await contents.close();
    await file.members.return(undefined);
    await session.end();
  }
}

async function commit(
  session: Client,
  core: Core,
  packs: readonly SealedPack[],
  adopt: () => Promise<AdoptedAccount>,
): Promise<AdoptedAccount> {
  await session.query('begin');
  await session.query('select pg_advisory_xact_lock_shared($1)', [FENCE_LOCK_ID]);
  await session.query(`
    insert into content (hash, pack_id, "offset", length)
    select distinct on (hash) hash, pack_id, "offset", length from imported_content order by hash
    on conflict do nothing`);
  const adopted = await adopt();
  const used: SealedPack[] = [];
  for (const each of packs) if (await markSealed(session, core, each)) used.push(each);
  // If COMMIT fails, its outcome is unknown, and the sweep drops the packs that nothing refers to.
  for (const { pack } of used) pack.keep();
  await session.query('commit');
  return adopted;
}

/** @returns False if nothing refers to the pack. @throws Error if the sweep has dropped the pack. */
async function markSealed(session: Client, core: Core, { pack, sizeBytes }: SealedPack): Promise<boolean> {
  const { rowCount: contents } = await session.query('select from content where pack_id = $1 limit 1', [pack.id]);
  if (contents === 0) return false;
  const { rowCount } = await session.query(
    `update pack set state = 'sealed', size = $2, sealed = $3 where id = $1 and state = 'open'`,
    [pack.id, sizeBytes, core.now()],
  );
  if (rowCount !== 1) throw new Error('The import took too long, and its files were dropped. Run it again.');
  return true;
}
