import { setTimeout as sleep } from 'node:timers/promises';
import { PACKS_IN_USE, WRONG_DEPLOYMENT_COUNTS, WRONG_STORAGE_SIZES } from '@berth/testing/recounts';
import type { Client, Order } from '../clients/oracle.ts';
import type { Violations } from '../violations.ts';
import type { Records } from '../world/database.ts';
import { listPacks, listTemporaryFiles } from '../world/pack-files.ts';
import type { World } from '../world/world.ts';

/** What the checks of the records need. */
interface Books {
  records: Records;
  clients: readonly Client[];
  violations: Violations;
}

/** Checks the rows of the database while nothing changes, and forgets the orders that were checked. */
export async function checkRecords(books: Books): Promise<void> {
  await checkCounters(books);
  await checkOrders(books);
  await checkActivities(books);
  for (const client of books.clients) {
    client.orders = [];
    client.changes = [];
  }
}

async function checkCounters({ records, violations }: Books): Promise<void> {
  for (const query of [WRONG_DEPLOYMENT_COUNTS, WRONG_STORAGE_SIZES]) {
    const wrong = await records.query(query);
    violations.require(wrong.length === 0, 'counters', () => JSON.stringify(wrong.slice(0, 3)));
  }
}

/** Each order has at most one deployment for each request that may have published, and it is complete. */
async function checkOrders({ records, clients, violations }: Books): Promise<void> {
  const orders = new Map<string, Order>(
    clients.flatMap((client) => client.orders.map((order) => [order.marker, order])),
  );
  const rows = await records.query<{ id: string; marker: string; files: number; size: number }>(
    `select id, labels[1] as marker, files, size::float8 as size from deployment where labels[1] = any($1)`,
    [[...orders.keys()]],
  );
  for (const [marker, found] of Map.groupBy(rows, (row) => row.marker)) {
    const order = orders.get(marker)!;
    const { key, spoilt, attempts } = order;
    const allowed = spoilt !== null ? 0 : key === null ? attempts : 1;
    violations.require(
      found.length <= allowed,
      'one-deployment',
      () =>
        `${marker} (${order.kind}${spoilt === null ? '' : `, ${spoilt}`}) has ${found.length} deployments after ${attempts} attempts`,
    );
    const size = order.files.reduce((sum, file) => sum + file.size, 0);
    const isWhole = found.every((row) => row.files === order.files.length && row.size === size);
    violations.require(isWhole, 'one-deployment', () => `${marker} is incomplete: ${JSON.stringify(found)}`);
    if (key !== null && order.deployment !== null)
      violations.require(
        found[0]!.id === order.deployment,
        'replays',
        () => `${marker} is ${found[0]!.id}, and the 201 said ${order.deployment}`,
      );
  }
}

async function checkActivities({ records, clients, violations }: Books): Promise<void> {
  for (const { account, changes, name } of clients) {
    const wanted = new Map(changes.map((change) => [`${change.event} ${change.deployment ?? change.token}`, change]));
    const rows = await records.query<{ what: string; count: number }>(
      `select event || ' ' || coalesce(deployment, token) as what, count(*)::int as count from activity
       where account_id = $1 and (deployment = any($2) or token = any($3)) group by 1`,
      [
        account,
        [...wanted.values()].map((one) => one.deployment ?? ''),
        [...wanted.values()].map((one) => one.token ?? ''),
      ],
    );
    const counts = new Map(rows.map((row) => [row.what, row.count]));
    for (const what of wanted.keys())
      violations.require(
        counts.get(what) === 1,
        'activities',
        () => `${name}: ${what} is recorded ${counts.get(what) ?? 0} times`,
      );
  }
}

const LOOKS = 3;
const LOOK_PAUSE_MS = 700;

/** The packs that may be left while the process that filled them still counts as running. */
interface Leftovers {
  /** Whether open packs are allowed, because their process may still be running. */
  open: boolean;
  /** Whether sealed packs without use are allowed, because they were sealed at a time that is now in the future. */
  sealed: boolean;
}

/** What the checks of the packs need. */
type Stored = Pick<World, 'nodes' | 'records' | 'store' | 'violations'>;

/**
 * Checks after a sweep that files or objects, rows, and the packs in use are the same.
 *
 * @param sweep Runs the sweep again. A sweep leaves out what a server deletes at the same time.
 */
export async function checkPacks(stored: Stored, leftovers: Leftovers, sweep: () => Promise<void>): Promise<void> {
  let remaining = await findLeftovers(stored, leftovers);
  // The jobs of the servers keep running. Only what is found again after another sweep is left over.
  for (let look = 0; look < LOOKS && remaining.size > 0; look += 1) {
    await sleep(LOOK_PAUSE_MS);
    await sweep();
    const again = await findLeftovers(stored, leftovers);
    remaining = new Map([...remaining].filter(([id]) => again.has(id)));
  }
  for (const [id, problem] of remaining) stored.violations.add('orphans', `${id}: ${problem}`);
}

async function findLeftovers(stored: Stored, { open, sealed }: Leftovers): Promise<Map<string, string>> {
  const { records } = stored;
  const rows = await records.query<{ id: string; state: string }>('select id, state from pack');
  const used = new Set((await records.query<{ id: string }>(PACKS_IN_USE)).map(({ id }) => id));
  const files = await listPacks(stored);
  const found = new Map<string, string>();
  for (const { id, state } of rows) {
    if (state === 'dead') found.set(id, 'the pack is dead after a sweep');
    if (state === 'sealed' && !used.has(id) && !sealed)
      found.set(id, 'the pack is sealed and not in use after a sweep');
    if (state === 'open' && !open) found.set(id, 'the pack is open although its process has ended');
    if (state === 'sealed' && !files.has(id)) found.set(id, 'the pack has no file');
    files.delete(id);
  }
  for (const id of files) found.set(id, 'the file has no row');
  if (!open) for (const path of await listTemporaryFiles(stored)) found.set(path, 'the temporary file is left');
  return found;
}
