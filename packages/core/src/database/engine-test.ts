import { randomInt } from 'node:crypto';
import type { ClientBase } from 'pg';
import { unavailable } from '../errors.ts';
import { LOCK_TIMEOUT } from './sessions.ts';

const OLDEST_VERSION = 160_000;
/** The SQL state `lock_not_available`. */
const LOCK_TIMEOUT_CODE = '55P03';
/** The number of sessions for {@link testEngine}. They take connections from a pooler, so that it gives another one to the first session. */
export const ENGINE_TEST_SESSIONS = 4;
const MARK = 'berth.engine_test';

/**
 * Checks that a database does what Berth relies on, because some engines and poolers accept the statements and ignore them. It
 * changes nothing and takes about 50 ms.
 *
 * @param sessions {@link ENGINE_TEST_SESSIONS} sessions without a transaction. If it fails, some of them may be in one.
 * @throws ServiceError `unavailable` if the database is read-only; Error that names the first missing property.
 */
export async function testEngine(sessions: readonly ClientBase[]): Promise<void> {
  const [first, second] = sessions as [ClientBase, ClientBase];
  await testSettings(first);
  await testSessions(sessions);
  await testLocks(first, second);
}

async function testSettings(session: ClientBase): Promise<void> {
  const { rows } = await session.query<
    Record<'product' | 'lockTimeout' | 'readOnly' | 'commit', string> & { version: number }
  >(`
    select version() as product, current_setting('server_version_num')::int as version,
      current_setting('lock_timeout') as "lockTimeout", current_setting('transaction_read_only') as "readOnly",
      current_setting('synchronous_commit') as commit`);
  const { product, version, lockTimeout, readOnly, commit } = rows[0]!;
  require(version >= OLDEST_VERSION, `Berth needs PostgreSQL 16 or newer; the server is ${product}`);
  if (readOnly === 'on') throw unavailable('The database is read-only. DATABASE_URL must lead to the primary.');
  require(commit !== 'off', 'synchronous_commit is off, so that a crash would lose published sites; turn it on');
  require(lockTimeout ===
    LOCK_TIMEOUT, `the server ignores the parameter "options" of a connection: lock_timeout is ${lockTimeout} instead of ${LOCK_TIMEOUT}. ` +
    'Use the address of PostgreSQL itself instead of that of a pooler');
}

/** A pooler for transactions gives a session another connection while its own is busy with the transaction of another session. */
async function testSessions(sessions: readonly ClientBase[]): Promise<void> {
  const [first, ...others] = sessions as [ClientBase, ...ClientBase[]];
  const mark = String(randomInt(2 ** 40));
  const readMark = async (session: ClientBase) =>
    (await session.query<{ mark: string | null }>(`select current_setting('${MARK}', true) as mark`)).rows[0]!.mark;
  await first.query('select set_config($1, $2, false)', [MARK, mark]);
  const marks: (string | null)[] = [];
  for (const session of others) {
    await session.query('begin');
    marks.push(await readMark(session));
  }
  const isShared = marks.includes(mark) || (await readMark(first)) !== mark;
  for (const session of others) await session.query('rollback');
  await first.query(`reset ${MARK}`);
  require(!isShared, 'a pooler shares sessions between clients. Use the address of PostgreSQL itself, or a pooler for sessions');
}

async function testLocks(first: ClientBase, second: ClientBase): Promise<void> {
  const key = randomInt(2 ** 40);
  await first.query('begin');
  await second.query('begin');
  await first.query('select pg_advisory_xact_lock_shared($1)', [key]);
  const { rows } = await second.query<{ locked: boolean }>('select pg_try_advisory_xact_lock($1) as locked', [key]);
  require(!rows[0]!.locked, 'the server grants an advisory lock that another session has');
  await second.query(`select set_config('lock_timeout', '20ms', true)`);
  // Without a timeout, the lock of the first session would end the wait only when its transaction ends.
  const wait = second.query('select pg_advisory_xact_lock($1)', [key]).then(
    () => null,
    (error: { code?: string }) => error.code,
  );
  const patience = setTimeout(() => void first.query('rollback').catch(() => {}), 2_000).unref();
  const outcome = await wait;
  clearTimeout(patience);
  for (const session of [first, second]) await session.query('rollback');
  require(outcome === LOCK_TIMEOUT_CODE, 'the server does not end the wait for a lock after lock_timeout');
}

function require(isTrue: boolean, message: string): asserts isTrue {
  if (!isTrue) throw new Error(message);
}
