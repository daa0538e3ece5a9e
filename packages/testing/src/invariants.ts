import { hash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { expect } from 'vitest';
import { LiveSiteCache } from '../../core/src/services/sites/live-sites.ts';
import { loadFiles } from '../../core/src/services/sites/load-files.ts';
import { sweep, type SweepReport } from '../../core/src/services/sweep/sweep.ts';
import type { Site } from '@berth/serving';
import type { TestCore } from './core.ts';
import type { TestDatabase } from './database.ts';
import { PACKS_IN_USE, WRONG_DEPLOYMENT_COUNTS, WRONG_STORAGE_SIZES } from './recounts.ts';

const TABLES = [
  'account',
  'activity',
  'content',
  'deployment',
  'deployment_pack',
  'idempotency_record',
  'invite',
  'issued_id',
  'manifest',
  'member',
  'pack',
  'token',
  'upload',
  'upload_content',
  'upload_pack',
] as const;

/** Returns the number of rows in each table, the sum of the counters, and the number of active packs. */
export async function stateOf({
  core,
  database,
}: TestCore): Promise<Record<(typeof TABLES)[number] | 'counters' | 'activePacks', number>> {
  const countColumns = TABLES.map((table) => `(select count(*)::int from "${table}") as "${table}"`);
  const [rows] = await database.query<Record<(typeof TABLES)[number] | 'counters', number>>({
    name: 'state',
    text: `select ${countColumns.join(', ')}, (select coalesce(sum(deployment_count), 0)::int from account) as counters`,
  });
  return { ...rows!, activePacks: core.activePacks.size };
}

/** Ends the tests of a file: checks all invariants, before and after a sweep, and closes the core. */
export async function closeSwept(test: TestCore): Promise<void> {
  await expectSound(test);
  await sweepAll(test);
  await expectSwept(test);
  await test.close();
}

/** Runs a sweep without grace times. */
export const sweepAll = ({ core }: TestCore): Promise<SweepReport> => sweep(core, { graceMs: 0 });

/** Checks I2: every file of a manifest is in a sealed pack that the deployment refers to. Checks I4. */
export async function expectSound({ core, database }: TestCore): Promise<void> {
  const sites = new LiveSiteCache(core);
  const deployments = await database.query<{ id: string; files: number; packs: string[] }>(
    `select d.id, d.files, array(select pack_id from deployment_pack r join pack p on p.id = r.pack_id
        where r.deployment_id = d.id and p.state = 'sealed') as packs
      from deployment d where status = 'success' and (expires is null or expires > $1)`,
    // Excludes deployments that may expire during the check.
    [new Date(core.now().getTime() + 60_000)],
  );
  for (const { id, files, packs } of deployments) {
    const { manifest } = (await sites.find({ deployment: id })) as Site;
    const listedFiles = [...(await loadFiles(core, id))!];
    expect(listedFiles.length, `files of ${id}`).toBe(files);
    const servedFiles = await Promise.all(
      listedFiles.map(async ([path]) => {
        const file = await manifest.load(path);
        const bytes = hash('sha256', await core.packs.read(file));
        return { path, has: manifest.has(path), ...file, bytes, refers: packs.includes(file.pack) };
      }),
    );
    // One comparison of all files is much faster than several for each file.
    expect(servedFiles, `files of ${id}`).toMatchObject(
      listedFiles.map(([path, place]) => ({ path, has: true, ...place, bytes: place.sha256, refers: true })),
    );
  }
  await expectCounted(database);
}

/** Checks I4: the deployment counters and storage sizes of accounts equal a recount. */
export async function expectCounted(database: TestDatabase): Promise<void> {
  expect(await database.query({ name: 'counts', text: WRONG_DEPLOYMENT_COUNTS }), 'I4').toEqual([]);
  expect(await database.query({ name: 'sizes', text: WRONG_STORAGE_SIZES }), 'I4: storage').toEqual([]);
}

/** Checks I3 after a sweep without grace times: exactly the packs in use remain, sealed and with contents. */
export async function expectSwept({ database, packsDir }: Pick<TestCore, 'database' | 'packsDir'>): Promise<void> {
  const ids = async (query: string) => (await database.query<{ id: string }>(query)).map(({ id }) => id).toSorted();
  const rows = await ids('select id from pack');
  expect(await ids(PACKS_IN_USE), 'I3: needed packs = rows').toEqual(rows);
  const files = await readdir(packsDir, { recursive: true, withFileTypes: true });
  const names = files.filter((entry) => entry.isFile()).map(({ name }) => name.replace(/\.pack$/, ''));
  expect(names.toSorted(), 'I3: files = rows').toEqual(rows);
  expect(await ids(`select id from pack where state <> 'sealed'`), 'I3: unfinished packs').toEqual([]);
  const packsWithContents = `select pack_id as id from content
    union select pack_id from compression where pack_id is not null`;
  expect(await ids(packsWithContents), 'I3: packs with contents = rows').toEqual(rows);
  const outsideReferencedPacks = `select distinct pack_id as id from content
    where pack_id not in (select pack_id from deployment_pack union select pack_id from upload_pack)`;
  expect(await ids(outsideReferencedPacks), 'I3: contents elsewhere').toEqual([]);
}
