import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { Pack } from '../../entities/index.ts';
import { type Check, type DoctorOptions, type Finding, finding } from './checks.ts';

const NAMES_AT_ONCE = 1000;
const MAX_REMOVED_FILES = 10_000;
const PACK_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Checks that packs are in the state that other rows need, and that each file has a row. Source: storage I2, I3. */
export const packs: Check = {
  name: 'packs',
  title: 'Packs and their files',
  async *run(core, options) {
    yield* contentsOutsideSealedPacks(core);
    yield* unsealedPacksOfDeployments(core);
    yield* unsealedPacksOfUploads(core);
    yield* filesWithoutRow(core, options);
  },
};

async function* contentsOutsideSealedPacks(core: Core): AsyncGenerator<Finding> {
  const rows = await db(core)
    .selectFrom(({ selectFrom, val }) =>
      selectFrom('content')
        .select(['pack_id', val('contents').as('what')])
        .unionAll(
          selectFrom('compression')
            .select((eb) => [eb.ref('pack_id').$notNull().as('pack_id'), val('compressed contents').as('what')])
            .where('pack_id', 'is not', null),
        )
        .as('c'),
    )
    .leftJoin('pack as p', 'p.id', 'c.pack_id')
    .select(({ fn }) => ['c.pack_id as pack', 'p.state', 'c.what', fn.countAll<number>().as('count')])
    .where('p.state', 'is distinct from', 'sealed')
    .groupBy(['c.pack_id', 'p.state', 'c.what'])
    .orderBy('c.pack_id')
    .orderBy('c.what')
    .execute();
  for (const { pack, state, what, count } of rows)
    yield finding('damage', `${count} ${what} are in pack ${pack}, which is ${state ?? 'missing'}.`, { pack });
}

async function* unsealedPacksOfDeployments(core: Core): AsyncGenerator<Finding> {
  const rows = await db(core)
    .selectFrom('deployment_pack as n')
    .innerJoin('pack as p', 'p.id', 'n.pack_id')
    .innerJoin('deployment as d', 'd.id', 'n.deployment_id')
    .select(['n.deployment_id as deployment', 'n.pack_id as pack', 'p.state'])
    .where('p.state', '<>', 'sealed')
    .where('d.status', '=', 'success')
    .orderBy('n.deployment_id')
    .execute();
  for (const { deployment, pack, state } of rows)
    yield finding('damage', `Deployment ${deployment} needs pack ${pack}, which is ${state}.`, {
      pack,
      deployments: [deployment],
    });
}

async function* unsealedPacksOfUploads(core: Core): AsyncGenerator<Finding> {
  const rows = await db(core)
    .selectFrom('upload_pack as n')
    .innerJoin('pack as p', 'p.id', 'n.pack_id')
    .select(({ fn }) => ['n.pack_id as pack', 'p.state', fn.countAll<number>().as('uploads')])
    .where('p.state', '<>', 'sealed')
    .groupBy(['n.pack_id', 'p.state'])
    .orderBy('n.pack_id')
    .execute();
  for (const { pack, state, uploads } of rows)
    yield finding('damage', `${uploads} open uploads need pack ${pack}, which is ${state}.`, { pack });
}

/**
 * Finds pack files without a row, which appear when a backup is restored. A server writes the row before the file, and
 * deletes it after the file. A file older than the grace time can be removed, unless most files have no row: then the
 * database is probably the wrong one.
 */
async function* filesWithoutRow(core: Core, { fix, graceMs }: DoctorOptions): AsyncGenerator<Finding> {
  const unknownPacks: string[] = [];
  let knownCount = 0;
  for await (const ids of batches(core.packs.list())) {
    const packIds = ids.filter((id) => PACK_ID.test(id));
    const options = { fields: ['id'], disableIdentityMap: true } as const;
    const rows = await core.database.em().find(Pack, { id: { $in: packIds } }, options);
    knownCount += rows.length;
    unknownPacks.push(...new Set(ids).difference(new Set(rows.map(({ id }) => id))));
  }
  const isWrongDatabase = unknownPacks.length > knownCount;
  const removableBefore = new Date(core.now().getTime() - graceMs);
  let removedCount = 0;
  for (const pack of unknownPacks) {
    const modifiedAt = await core.packs.modified(pack);
    if (modifiedAt === null) continue;
    const report = (remark = '', fixed = false) =>
      finding('drift', `The file of pack ${pack} has no row in the database.${remark}`, { pack, fixed });
    if (!PACK_ID.test(pack)) yield report(' Berth did not create it.');
    else if (modifiedAt > removableBefore) yield report(' It is too recent to be removed.');
    else if (!fix) yield report();
    else if (isWrongDatabase)
      yield report(
        ` It was not removed, because ${unknownPacks.length} of ${unknownPacks.length + knownCount} files have no row. Check that this is the right database.`,
      );
    else if (removedCount === MAX_REMOVED_FILES) yield report();
    else {
      await core.packs.remove(pack);
      removedCount += 1;
      yield report('', true);
    }
  }
}

async function* batches(ids: AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = [];
  for await (const id of ids)
    if (batch.push(id) === NAMES_AT_ONCE) {
      yield batch;
      batch = [];
    }
  yield batch;
}
