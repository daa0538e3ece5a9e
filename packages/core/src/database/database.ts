import { hash } from 'node:crypto';
import { EntitySchema } from '@mikro-orm/core';
import { type EntityManager, MikroORM, PostgreSqlConnection, PostgreSqlDriver } from '@mikro-orm/postgresql';
import { type DatabaseConnection, type Driver, type PostgresDialect, sql } from 'kysely';
import { type Client, type Pool, type PoolClient, type PoolConfig, type TypeOverrides, types as pgTypes } from 'pg';
import * as entities from '../entities/index.ts';
import { type Log, SILENT } from '../log.ts';
import { type Tracer, UNTRACED } from '../tracing.ts';
import { ChangeLog, type Changes } from './change-log.ts';
import { createDatabaseClock, type DatabaseClock } from './clock.ts';
import { ENGINE_TEST_SESSIONS, testEngine } from './engine-test.ts';
import { type AppliedMigration, migrate, type MigrateOptions, pendingSteps } from './migrate.ts';
import { type MigrationClass, migrations as allMigrations } from './migrations/index.ts';
import { readSchema, type SchemaState, stepOf } from './schema-state.ts';
import { createSessions, type DatabaseAddress } from './sessions.ts';
import { db, type QueryBuilder } from './tables.ts';

/** The connections of this process for statements. */
export interface ConnectionCounts {
  used: number;
  idle: number;
  /** The number of statements and transactions that wait for a connection. */
  waiting: number;
  max: number;
}

/** The connection to PostgreSQL. */
export interface Database {
  /** The query builder for statements outside of a transaction. */
  readonly kysely: QueryBuilder;
  /**
   * Runs a prepared statement, which each connection parses and plans only once. The texts must be few: connections keep them.
   */
  prepared<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]>;
  /** Starts a unit of work. Every procedure, job and request needs a separate unit of work. */
  em(): EntityManager;
  /**
   * Runs `work` in one transaction. Retries at most twice after a lock timeout or a deadlock, so `work` must be safe to run
   * again. Resolves after the subscribers of this process have received the changes of the transaction, or it treats its cache of
   * sites as stale. Source: serving S2.
   */
  transaction<T>(work: (em: EntityManager) => Promise<T>): Promise<T>;
  /** Opens a session of its own, outside of the pool, for COPY and for locks of a session. The caller must end it. */
  connect(): Promise<Client>;
  /**
   * Checks that the database does what Berth relies on.
   *
   * @throws ServiceError `unavailable` if it is read-only; Error that says what is missing. Source: storage §12.
   */
  testEngine(): Promise<void>;
  /**
   * Runs the pending migrations, even in several processes at once.
   *
   * @returns The migrations that this call ran.
   * @throws Error if the schema needs a newer program, a migration cannot run, or with the reason of the signal.
   */
  migrate(options?: MigrateOptions): Promise<AppliedMigration[]>;
  /** Reads the number of the schema, and the pending migrations. Changes nothing. @throws Error if it needs a newer program. */
  schema(): Promise<SchemaState>;
  /** Returns the SQL that would make the schema match the entities, without triggers; empty if the schema matches. */
  schemaDrift(): Promise<string>;
  /** The clock of the database, by which processes compare times. */
  readonly clock: DatabaseClock;
  /** The committed changes to what visitors see, and the new activities, of all processes. */
  readonly changes: Changes;
  /** Counts the connections for statements, and the statements that wait for one. */
  connections(): Promise<ConnectionCounts>;
  /** Whether the database responds to a query. */
  isReady(): Promise<boolean>;
  close(): Promise<void>;
}

const RETRIES = 2;
/** The SQL states `lock_not_available` and `deadlock_detected`. */
const RETRYABLE_CODES = new Set(['55P03', '40P01']);

interface DatabaseOptions {
  /** The maximum number of connections for statements. Default 16. */
  poolSize?: number;
  /** Receives a message when the database becomes unavailable and when it is available again. Default: no log. */
  log?: Log;
  /** Records the statements of requests and jobs. Default: none. */
  tracer?: Tracer;
  /** The version of Berth, which the database records with each migration. Default: unknown. */
  version?: string;
  /** The migrations of the program. Default: all. */
  migrations?: readonly MigrationClass[];
}

/** How long a statement waits for a free connection. */
const POOL_TIMEOUT_MS = 15_000;
/** How long a session stays open without statements. Most jobs run once a minute, and a new session costs more than what they do. */
const IDLE_SESSION_MS = 90_000;

/**
 * Connects to PostgreSQL. The pool opens connections on demand. Every statement fails at once while the database is known to
 * be unavailable.
 *
 * @throws Error if the address is invalid.
 */
export function openDatabase(
  address: DatabaseAddress,
  {
    poolSize = 16,
    log = SILENT,
    tracer = UNTRACED,
    version = 'unknown',
    migrations = allMigrations,
  }: DatabaseOptions = {},
): Database {
  const sessions = createSessions(address, log, tracer);
  const orm = new MikroORM({
    driver: SessionReturningDriver,
    entities: Object.values(entities).filter((value) => value instanceof EntitySchema),
    // MikroORM requires a name. Sessions connect with the settings of `DATABASE_URL`.
    dbName: 'berth',
    // MikroORM would create a database with that name on a server whose database has another one.
    ensureDatabase: false,
    pool: { min: 0, max: poolSize, idleTimeoutMillis: IDLE_SESSION_MS },
    driverOptions: { Client: sessions.Session, connectionTimeoutMillis: POOL_TIMEOUT_MS },
    ignoreUndefinedInQuery: true,
    logger: () => {},
  });
  const em = () => orm.em.fork() as EntityManager;
  const pool = (): Promise<Pool> => (orm.driver.getConnection() as PostgreSqlConnection).getNativeClient();
  const changes = new ChangeLog(sessions.Session);
  const program = { steps: migrations.map((migration) => stepOf(migration, orm)), version };

  const statementNames = new Map<string, string>();
  function nameOf(text: string): string {
    const name = statementNames.get(text) ?? hash('sha256', text).slice(0, 32);
    statementNames.set(text, name);
    return name;
  }

  /** Runs `work` with sessions of the pool, which opens those that it does not have. If it fails, they are closed. */
  async function inPoolSessions<T>(count: number, work: (sessions: PoolClient[]) => Promise<T>): Promise<T> {
    const taken: PoolClient[] = [];
    let fault: Error | undefined;
    try {
      while (taken.length < count) taken.push(await (await pool()).connect());
      return await work(taken);
    } catch (error) {
      fault = error as Error;
      throw error;
    } finally {
      for (const session of taken) session.release(fault);
    }
  }

  const inPoolSession = <T>(work: (session: PoolClient) => Promise<T>): Promise<T> =>
    inPoolSessions(1, ([session]) => work(session!));

  async function connect(): Promise<Client> {
    const session = new sessions.Session();
    await session.connect();
    return session;
  }

  async function inOwnSession<T>(work: (session: Client) => Promise<T>): Promise<T> {
    const session = await connect();
    try {
      return await work(session);
    } finally {
      await session.end();
    }
  }

  const schema = () => inPoolSession((session) => readSchema(session, program));

  return {
    kysely: db(em()),
    // After a wait for a session, `pool.query` would run the statement in the trace of the request that returned it.
    prepared: <Row extends object>(text: string, values: readonly unknown[]) =>
      inPoolSession(
        async (session) => (await session.query<Row>({ name: nameOf(text), text, values: [...values] })).rows,
      ),
    em,
    async transaction(work) {
      for (let attempt = 0; ; attempt += 1) {
        try {
          const result = await em().transactional(work);
          await changes.catchUp();
          return result;
        } catch (error) {
          if (attempt >= RETRIES || !RETRYABLE_CODES.has((error as { code?: string }).code ?? '')) throw error;
        }
      }
    },
    connect,
    testEngine: () => inPoolSessions(ENGINE_TEST_SESSIONS, testEngine),
    async migrate(options) {
      if (pendingSteps(program, await schema(), options?.upTo).length === 0) return [];
      return inOwnSession((session) => migrate(session, program, log, options));
    },
    schema,
    async schemaDrift() {
      const driftStatements = await orm.schema.getUpdateSchemaSQL({ safe: false });
      return driftStatements
        .split('\n')
        .filter((line) => line.trim() !== '' && !/"migration"|^set names|^drop (?:trigger|function) /.test(line))
        .join('\n');
    },
    clock: createDatabaseClock(async () => {
      const time = sql<{ ms: number }>`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`;
      return (await time.execute(db(em()))).rows[0]!.ms;
    }),
    changes,
    async connections() {
      const { totalCount, idleCount, waitingCount } = await pool();
      return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount, max: poolSize };
    },
    isReady: () =>
      sql`select 1`.execute(db(em())).then(
        () => true,
        () => false,
      ),
    async close() {
      sessions.close();
      await changes.close();
      const nativePool = await pool();
      await orm.close(true);
      // Kysely does not end a pool that only `prepared` has used.
      if (!nativePool.ended) await nativePool.end();
    },
  };
}

/**
 * The driver of the ORM without a leak of kysely, which does not return a session to the pool if BEGIN or ROLLBACK fails. A
 * pool that loses all its sessions can no longer run any statement.
 * Source: https://github.com/kysely-org/kysely/issues/1990; security F12.
 */
class SessionReturningDriver extends PostgreSqlDriver {
  protected override readonly connection = new Connection(this.config);
}

class Connection extends PostgreSqlConnection {
  override createKyselyDialect(overrides: Parameters<PostgreSqlConnection['createKyselyDialect']>[0]): PostgresDialect {
    const dialect = super.createKyselyDialect(overrides);
    const createDriver = dialect.createDriver.bind(dialect);
    dialect.createDriver = () => returnSessions(createDriver());
    return dialect;
  }

  /** Reads `bigint` and `timestamptz` as numbers and dates, as in the entities. The driver reads them as strings. */
  override mapOptions(overrides: PoolConfig): PoolConfig {
    const options = super.mapOptions(overrides);
    const types = options.types as TypeOverrides;
    types.setTypeParser(pgTypes.builtins.INT8, Number);
    types.setTypeParser(pgTypes.builtins.TIMESTAMPTZ, (text) => new Date(text));
    return options;
  }
}

function returnSessions(driver: Driver): Driver {
  const beginTransaction = driver.beginTransaction.bind(driver);
  const rollBack = driver.rollbackTransaction.bind(driver);
  const orReturn = (session: DatabaseConnection, step: Promise<void>) =>
    step.catch(async (error: unknown) => {
      await driver.releaseConnection(session);
      throw error;
    });
  driver.beginTransaction = (session, settings) => orReturn(session, beginTransaction(session, settings));
  driver.rollbackTransaction = (session) => orReturn(session, rollBack(session));
  return driver;
}
