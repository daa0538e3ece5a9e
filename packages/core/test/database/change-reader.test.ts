import { setImmediate } from 'node:timers/promises';
import { createTemplate, createTestDatabase, type TestDatabase } from '@berth/testing/database';
import { hasPgBouncer, startPgBouncer } from '@berth/testing/pgbouncer';
import { type ReplicatedPostgres, startReplicatedPostgres } from '@berth/testing/standby';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Change, ChangeReader } from '../../src/database/change-reader.ts';
import { openDatabase } from '../../src/database/database.ts';
import { createChangeTrimmer } from '../../src/services/changes.ts';

const WRITERS = 8;
const CHANGES_PER_WRITER = 150;
const INSERT = `insert into change (kind, key) values ('deployment', $1)`;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function connect(url: string = database.url): Promise<pg.Client> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end().catch(() => {}));
  return client;
}

/** A reader that has read everything so far. */
async function readerOn(client: pg.Client): Promise<() => Promise<string[] | null>> {
  const reader = new ChangeReader();
  expect(await reader.read(client)).toBeNull();
  return async () => (await reader.read(client))?.map(({ key }: Change) => key).toSorted() ?? null;
}

/** Writes changes in transactions that overlap, roll back, and use savepoints. @returns The keys of the committed changes. */
async function writeChanges(clients: readonly pg.Client[]): Promise<string[]> {
  const keys = await Promise.all(
    clients.map(async (client, writer) => {
      const committed: string[] = [];
      for (let n = 0; n < CHANGES_PER_WRITER; n += 1) {
        const key = `${writer}-${n}`;
        await client.query('begin');
        await client.query(INSERT, [key]);
        for (let wait = 0; wait < (n * 7 + writer) % 5; wait += 1) await client.query('select 1');
        await client.query('savepoint s');
        await client.query(INSERT, [`${key}-undone`]);
        await client.query('rollback to s');
        const isKept = n % 4 !== 3;
        await client.query(isKept ? 'commit' : 'rollback');
        if (isKept) committed.push(key);
      }
      return committed;
    }),
  );
  return keys.flat().toSorted();
}

/** Reads while writers write. */
async function readWhile(read: () => Promise<string[] | null>, writing: Promise<string[]>): Promise<string[]> {
  const found: string[] = [];
  let isWriting = true;
  void writing.finally(() => (isWriting = false));
  while (isWriting) {
    found.push(...(await read())!);
    await setImmediate();
  }
  return found;
}

const writers = () => Promise.all(Array.from({ length: WRITERS }, () => connect()));

describe('scale B4: the change log', () => {
  it('returns the change of a transaction that commits after one with a larger number', async () => {
    const [slow, quick, reading] = [await connect(), await connect(), await connect()];
    const read = await readerOn(reading);
    await slow.query('begin');
    await slow.query(INSERT, ['slow']);
    await quick.query(INSERT, ['quick']);
    expect(await read()).toEqual(['quick']);
    expect(await read()).toEqual([]);
    await slow.query('commit');
    expect(await read()).toEqual(['slow']);
    expect(await read()).toEqual([]);
  });

  it('returns each change of many overlapping transactions once', async () => {
    const clients = await writers();
    const read = await readerOn(await connect());
    const writing = writeChanges(clients);
    const found = await readWhile(read, writing);
    found.push(...(await read())!);
    expect(found.toSorted()).toEqual(await writing);
  });

  it.skipIf(!hasPgBouncer)('returns each change once through a pooler that shares sessions', async () => {
    const pooler = await startPgBouncer(database.address, { pool_mode: 'transaction', default_pool_size: '3' });
    onTestFinished(() => pooler.stop());
    const clients = await writers();
    const url = pooler.url(database.address.database);
    const read = await readerOn(await connect(url));
    // Other clients of the pooler take the session of the reader between its statements.
    const other = await connect(url);
    const writing = writeChanges(clients);
    const found = await readWhile(async () => {
      await Promise.all([other.query('begin'), setImmediate()]);
      const keys = await read();
      await other.query('commit');
      return keys;
    }, writing);
    found.push(...(await read())!);
    expect(found.toSorted()).toEqual(await writing);
  });

  it('says that changes may be missing when there are too many, and continues after them', async () => {
    const [writing, reading] = [await connect(), await connect()];
    const read = await readerOn(reading);
    await writing.query(`insert into change (kind, key) select 'domain', n::text from generate_series(1, 10001) n`);
    expect(await read()).toBeNull();
    expect(await read()).toEqual([]);
    await writing.query(INSERT, ['later']);
    expect(await read()).toEqual(['later']);
  });

  it('says that changes may be missing when numbers of transactions may have been used again, as after a crash', async () => {
    const reading = await connect();
    const read = await readerOn(reading);
    // A crash and a failover empty unlogged tables.
    await reading.query('truncate change_epoch');
    expect(await read()).toBeNull();
    expect(await read()).toEqual([]);
  });

  it.each([
    ['that was not read for longer than changes are kept', '6 minutes'],
    ['whose database has set its clock back', '-1 minute'],
  ])('says that changes may be missing to a process %s', async (_, interval) => {
    const reading = await connect();
    const read = await readerOn(reading);
    await reading.query(`
      create schema clock;
      create function clock.clock_timestamp() returns timestamptz language sql as
        $$ select pg_catalog.clock_timestamp() + interval '${interval}' $$;
      set search_path = clock, pg_catalog, public`);
    expect(await read()).toBeNull();
    expect(await read()).toEqual([]);
    await reading.query('drop schema clock cascade');
  });

  it('is trimmed of what all processes have read, and keeps what a transaction has not committed yet', async () => {
    const [slow, quick] = [await connect(), await connect()];
    const keys = async () =>
      (await database.query<{ key: string }>('select key from change order by key')).map(({ key }) => key);
    const core = { database: openDatabase(database.address) } as Parameters<ReturnType<typeof createChangeTrimmer>>[0];
    onTestFinished(() => core.database.close());
    await database.query('truncate change');
    await quick.query(INSERT, ['before']);
    await slow.query('begin');
    await slow.query(INSERT, ['slow']);
    await quick.query(INSERT, ['beside']);
    expect(await createChangeTrimmer()(core)).toBe(0);
    const trim = createChangeTrimmer(0);
    // Transactions of other databases of the server also delay the trimmer.
    await expect.poll(() => trim(core)).toBe(1);
    await slow.query('commit');
    expect(await keys()).toEqual(['beside', 'slow']);
    await expect.poll(async () => (await trim(core), keys())).toEqual([]);
  });
});

describe('scale B4: the change log on a standby', () => {
  let servers: ReplicatedPostgres;
  beforeAll(async () => {
    servers = await startReplicatedPostgres(({ address }) => createTemplate(address));
  });
  afterAll(() => servers.stop());
  const open = async (server: 'primary' | 'standby') => {
    const { socketDir, user } = servers[server].address;
    return connect(`postgresql://${user}@${encodeURIComponent(socketDir)}:5432/berth_template`);
  };

  it('returns each change of many overlapping transactions once, beside one that runs for long', async () => {
    const [slow, reading] = [await open('primary'), await open('standby')];
    const clients = await Promise.all(Array.from({ length: WRITERS }, () => open('primary')));
    const read = await readerOn(reading);
    await slow.query('begin');
    await slow.query(INSERT, ['slow']);
    const writing = writeChanges(clients);
    const found = await readWhile(read, writing);
    await slow.query('commit');
    const expected = [...(await writing), 'slow'].toSorted();
    await expect.poll(async () => found.push(...(await read())!)).toBe(expected.length);
    expect(found.toSorted()).toEqual(expected);
  });

  it('says that changes may be missing after the standby was promoted, and then returns those of the new primary', async () => {
    const reading = await open('standby');
    const read = await readerOn(reading);
    await reading.query('select pg_promote()');
    expect(await read()).toBeNull();
    expect(await read()).toBeNull();
    await reading.query(INSERT, ['promoted']);
    expect(await read()).toEqual(['promoted']);
  });
});
