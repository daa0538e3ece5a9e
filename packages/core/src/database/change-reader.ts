import type { ClientBase } from 'pg';

/** What a change concerns. An `activity` is a new one of the account that is the key. */
type ChangeKind = 'deployment' | 'domain' | 'account' | 'activity';

/** A committed change to what visitors see, or a new activity. `key` is an id, or the name of a domain. */
export interface Change {
  readonly kind: ChangeKind;
  readonly key: string;
}

/** The maximum number of changes that one read returns. */
const MAX_CHANGES = 10_000;
/** The longest time between two reads. It is shorter than the time for which changes are kept. */
const MAX_GAP_MS = 300_000;
/** The SQL state for a table that a standby does not have. */
const NOT_SUPPORTED_CODE = '0A000';

const CREATE_EPOCH = 'insert into change_epoch (id, epoch) values (1, gen_random_uuid()) on conflict do nothing';

/**
 * Returns the statement that reads the changes since a snapshot, with the present snapshot in each row. The order makes PostgreSQL
 * read the newest end of the index, even without statistics.
 */
const readStatement = (epoch: string, isNew: string) => `
  select s.snapshot::text as snapshot, ${epoch} || ' ' || extract(epoch from pg_postmaster_start_time()) as epoch,
    extract(epoch from clock_timestamp())::float8 * 1000 as "atMs", pg_is_in_recovery() as "isStandby",
    c.xid::text as xid, c.kind, c.key
  from (select pg_current_snapshot() as snapshot) s left join (
    select xid, kind, key from change
    where xid >= pg_snapshot_xmin($1::pg_snapshot) ${isNew}
    order by xid limit ${MAX_CHANGES + 1}) c on true`;

const ON_PRIMARY = readStatement(
  '(select epoch::text from change_epoch)',
  'and not pg_visible_in_snapshot(xid, $1::pg_snapshot)',
);
/** A standby does not know which transactions run. So this reads all changes that may be new. */
const ON_STANDBY = readStatement(`'standby'`, '');

interface Row {
  snapshot: string;
  epoch: string | null;
  atMs: number;
  isStandby: boolean;
  xid: string | null;
  kind: ChangeKind;
  key: string;
}

/** Up to where the changes have been read. */
interface Position {
  /** The transactions whose changes have been read. */
  snapshot: string;
  /** Changes when numbers of transactions may have been used again: after a crash, a failover, or a restore. */
  epoch: string;
  atMs: number;
}

/**
 * Reads the change log of a database, each change once. A row carries the number of its transaction. Transactions commit in
 * another order than that of their numbers, so the position is not a number but a snapshot: the set of transactions that have
 * ended. It works through a pooler, whose sessions change between statements, and on a standby. Source: storage §12.
 */
export class ChangeReader {
  #position: Position | null = null;
  #isStandby = false;
  /** The changes that the next read on a standby returns again. */
  #repeated: ReadonlySet<string> = new Set();

  /**
   * Returns the changes that committed since the last call. A call at a time waits for the database.
   *
   * @returns `null` if there may have been more changes: at the first call, after a failover or a crash of the database, after
   *   five minutes without a call, or if there were more than 10,000.
   * @throws the errors of the database. The next call then returns the same changes.
   */
  async read(client: ClientBase): Promise<Change[] | null> {
    const rows = await this.#query(client);
    const { snapshot, epoch, atMs, isStandby } = rows[0]!;
    if (epoch === null) {
      await client.query(CREATE_EPOCH);
      return this.read(client);
    }
    const before = this.#position;
    const isPromoted = this.#isStandby && !isStandby;
    this.#isStandby = isStandby;
    this.#position = isPromoted ? null : { snapshot, epoch, atMs };
    const gapMs = before?.epoch === epoch ? atMs - before.atMs : Infinity;
    const isComplete = gapMs >= 0 && gapMs <= MAX_GAP_MS && rows.length <= MAX_CHANGES && !isPromoted;
    const changes = rows.filter(({ xid }) => xid !== null);
    const newChanges = isStandby ? this.#withoutRepeated(changes, snapshot) : changes;
    return isComplete ? newChanges.map(({ kind, key }) => ({ kind, key })) : null;
  }

  async #query(client: ClientBase): Promise<Row[]> {
    const values = [this.#position?.snapshot ?? null];
    try {
      return (await client.query<Row>(this.#isStandby ? ON_STANDBY : ON_PRIMARY, values)).rows;
    } catch (error) {
      if ((error as { code?: string }).code !== NOT_SUPPORTED_CODE || this.#isStandby) throw error;
      return (await client.query<Row>(ON_STANDBY, values)).rows;
    }
  }

  #withoutRepeated(rows: readonly Row[], snapshot: string): Row[] {
    const oldestRunning = BigInt(snapshot.slice(0, snapshot.indexOf(':')));
    const idOf = ({ xid, kind, key }: Row) => `${xid} ${kind} ${key}`;
    const newRows = rows.filter((row) => !this.#repeated.has(idOf(row)));
    this.#repeated = new Set(rows.filter(({ xid }) => BigInt(xid!) >= oldestRunning).map(idOf));
    return newRows;
  }
}
