import { createHash, randomUUID } from 'node:crypto';
import pg, { type Client } from 'pg';
import type { Core } from '../../core.ts';
import { prepareCopySession, quoteName } from '../../database/copy.ts';
import { partName } from '../../storage/backup-file.ts';
import { BackupWriter, type ByteSink, inParts } from '../../storage/backup-writer.ts';
import type { ContentLocation } from '../../storage/packs.ts';
import { holdPacks, releasePacks } from '../packs/hold.ts';
import { ACCOUNT_TABLES } from './account-tables.ts';
import { type BackupOptions, writeTable } from './backup.ts';
import { FORMAT_VERSION, type Manifest, MANIFEST_MEMBER } from './manifest.ts';
import { columnList, readColumns, requireKnownSchema, type TableColumns } from './tables.ts';

/** What the file of an account contains. Sizes are in bytes. */
export interface ExportSummary {
  id: string;
  account: string;
  deployments: number;
  domains: number;
  contents: number;
  bytes: number;
}

interface ContentRow extends ContentLocation {
  sha256: string;
}

const FETCHED_CONTENTS = 1_000;

/**
 * Writes an account with its deployments, domains, keys, members and activities, from one snapshot. The format is that of a
 * backup, with contents instead of packs, because packs may also have contents of other accounts.
 *
 * @param account The id of the account.
 * @param sink Receives the file. It is complete only when the promise resolves.
 * @throws Error if a content is damaged, or the database ends the session. Source: api §12; storage W6.
 */
export async function exportAccount(
  core: Core,
  account: string,
  sink: ByteSink,
  options: Pick<BackupOptions, 'berth' | 'keyFingerprint' | 'onProgress'>,
): Promise<ExportSummary> {
  const session = await core.database.connect();
  try {
    await prepareCopySession(session);
    await holdPacks(session);
    await session.query('begin isolation level repeatable read read only');
    const { manifest, deployments, domains } = await describe(core, session, account, options);
    const writer = new BackupWriter(sink, new Date(manifest.created));
    await writer.add(MANIFEST_MEMBER, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
    for (const table of manifest.tables)
      await writeTable(session, writer, table.name, `copy (${selectOf(table, account)}) to stdout`);
    await session.query(`declare contents cursor with hold for ${contentsOf(account)}`);
    const totalBytes = await sumLengths(session, account);
    await session.query('commit');
    const contents = await writeContents(core, session, writer, (doneBytes) =>
      options.onProgress?.(doneBytes, totalBytes),
    );
    await releasePacks(session);
    await writer.end();
    return { id: manifest.id, account, deployments, domains, contents, bytes: writer.bytes };
  } finally {
    await session.end();
  }
}

async function describe(
  core: Core,
  session: Client,
  account: string,
  { berth, keyFingerprint }: Pick<BackupOptions, 'berth' | 'keyFingerprint'>,
): Promise<{ manifest: Manifest; deployments: number; domains: number }> {
  const schema = await requireKnownSchema(session);
  const columns = await readColumns(session);
  const { rows } = await session.query<{ email: string; deployments: number; domains: number }>(
    `select email, (select count(*)::int from deployment where ${ACCOUNT_TABLES['deployment']!.replaceAll('$account', '$1')}) as deployments,
      (select count(*)::int from domain where account_id = $1) as domains from account where id = $1`,
    [account],
  );
  const { email, deployments, domains } = rows[0]!;
  const manifest: Manifest = {
    format: 'berth-backup',
    version: FORMAT_VERSION,
    kind: 'account',
    id: randomUUID(),
    since: null,
    created: core.now().toISOString(),
    berth,
    schema,
    key: { fingerprint: keyFingerprint, included: false },
    tables: Object.keys(ACCOUNT_TABLES).map((name) => ({ name, columns: columns.get(name)! })),
    sequences: [],
    packs: { count: 0, bytes: 0 },
    account: { id: account, email, platformHost: core.addresses.platformHost },
  };
  return { manifest, deployments, domains };
}

function selectOf(table: TableColumns, account: string): string {
  const condition = ACCOUNT_TABLES[table.name]!.replaceAll('$account', pg.escapeLiteral(account));
  return `select ${columnList(table)} from ${quoteName(table.name)} where ${condition}`;
}

/** SQL for the distinct contents of the deployments of an account, in the order in which they are stored. */
function contentsOf(account: string): string {
  const condition = ACCOUNT_TABLES['manifest']!.replaceAll('$account', pg.escapeLiteral(account));
  return `
    select encode(c.hash, 'hex') as sha256, c.pack_id::text as pack, c."offset"::float8 as "offset", c.length::float8 as length
    from content c where c.hash in (
      select substring(m.hashes from (position - 1) * 32 + 1 for 32)
      from (select hashes || ''::bytea as hashes from manifest where ${condition}) m
      cross join lateral generate_series(1, octet_length(m.hashes) / 32) as position)
    order by c.pack_id, c."offset"`;
}

async function sumLengths(session: Client, account: string): Promise<number> {
  const { rows } = await session.query<{ bytes: number }>(
    `select coalesce(sum(length), 0)::float8 as bytes from (${contentsOf(account)}) c`,
  );
  return rows[0]!.bytes;
}

async function writeContents(
  core: Core,
  session: Client,
  writer: BackupWriter,
  onProgress: (doneBytes: number) => void,
): Promise<number> {
  let contents = 0;
  let doneBytes = 0;
  for (;;) {
    const { rows } = await session.query<ContentRow>(`fetch ${FETCHED_CONTENTS} from contents`);
    for (const row of rows) {
      await writeContent(core, writer, row);
      contents += 1;
      onProgress((doneBytes += row.length));
    }
    if (rows.length < FETCHED_CONTENTS) return contents;
  }
}

async function writeContent(core: Core, writer: BackupWriter, content: ContentRow): Promise<void> {
  const { sha256, length } = content;
  const digest = createHash('sha256');
  let part = 0;
  const add = async (piece: Buffer) => {
    digest.update(piece);
    await writer.add(partName(`contents/${sha256}`, (part += 1)), piece);
  };
  if (length === 0) await add(Buffer.alloc(0));
  else for await (const piece of inParts(core.packs.stream(content))) await add(piece);
  if (digest.digest('hex') !== sha256)
    throw new Error(`Content ${sha256} in pack ${content.pack} is damaged. "doctor" shows which sites need it.`);
}
