import { EntitySchema } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { type EntityManager, MikroORM, PostgreSqlConnection, PostgreSqlDriver } from '@mikro-orm/postgresql';
import { type DatabaseConnection, type Driver, type PostgresDialect, sql } from 'kysely';
import { type Pool, type PoolConfig, type TypeOverrides, types as pgTypes } from 'pg';
import * as entities from '../entities/index.ts';
import { type Log, SILENT } from '../log.ts';
import type { DatabaseAddress } from './sessions.ts';
import { ChannelListener, type Listener } from './listener.ts';
import { migrations } from './migrations/index.ts';
import { recordCompatibility, requireKnownSchema } from './migrations/index.ts';
import { createSessions } from './sessions.ts';
import { db, type QueryBuilder } from './tables.ts';

/** The connection to PostgreSQL. */
export interface Database {
  /** The query builder for statements outside of a transaction. */
  readonly kysely: QueryBuilder;
  /**
   * Runs a prepared statement and returns its rows. Each connection parses it only once.
   *
   * @param name Identifies the text: equal for equal texts, different for different ones.
   */
  prepared<Row extends object>(name: string, text: string, values: readonly unknown[]): Promise<Row[]>;
  /** Starts a unit of work. Every procedure, job and request needs a separate one. */
  em(): EntityManager;
  /**
   * Runs `work` in one transaction. Retries at most twice after a lock timeout or a deadlock, so `work` must be safe to run again.
   *
   * When it resolves, this process has received the notifications for every site that the transaction changed, or treats its
   * cache of sites as stale. Source: serving S2.
   */
  transaction<T>(work: (em: EntityManager) => Promise<T>): Promise<T>;
  /**
   * Migrates the schema. Several processes can call it at the same time.
   *
   * @throws SchemaTooNewError if a newer program has changed the schema so that this one cannot use it.
   */
  migrate(): Promise<void>;
  /** The SQL that would make the schema match the entities, except for triggers; empty if they match. */
  schemaDrift(): Promise<string>;
  /** Notifications of committed activities: `{ account, id }` as JSON. */
  readonly newActivities: Listener;
  /** Notifications of committed changes to what visitors see: `{ deployment }`, `{ domain }` or `{ account }` as JSON. */
  readonly siteChanges: Listener;
  /** True if the database answers a query. */
  isReady(): Promise<boolean>;
  close(): Promise<void>;
}

const MIGRATION_LOCK = 7_212_001;
const RETRIES = 2;
// lock_not_available, deadlock_detected
const RETRYABLE = new Set(['55P03', '40P01']);

/** The options of {@link openDatabase}. */
export interface DatabaseOptions {
  /** The maximum number of connections for statements. Default 16. */
  poolSize?: number;
  /** Logs when the database goes away and when it is back. Default: no log. */
  log?: Log;
}

/** How long a statement waits for a free connection. */
const POOL_TIMEOUT_MS = 15_000;

/**
 * Connects to PostgreSQL. The pool opens connections on demand. While the database is known to be away, every statement fails at
 * once.
 *
 * @throws Error if the address is invalid.
 */
export function openDatabase(
  address: DatabaseAddress,
  { poolSize = 16, log = SILENT }: DatabaseOptions = {},
): Database {
  const sessions = createSessions(address, log);
  const orm = new MikroORM({
    driver: SessionReturningDriver,
    entities: Object.values(entities).filter((value) => value instanceof EntitySchema),
    // MikroORM requires a name. Sessions connect with the settings of `DATABASE_URL`.
    dbName: 'berth',
    pool: { min: 0, max: poolSize },
    driverOptions: { Client: sessions.Session, connectionTimeoutMillis: POOL_TIMEOUT_MS },
    extensions: [Migrator],
    migrations: { migrationsList: [...migrations], snapshot: false, tableName: 'migration', silent: true },
    ignoreUndefinedInQuery: true,
    logger: () => {},
  });
  const em = () => orm.em.fork() as EntityManager;
  const activityNews = new ChannelListener(sessions.Session, 'berth_activity');
  const siteNews = new ChannelListener(sessions.Session, 'berth_site');
  return {
    kysely: db(em()),
    async prepared<Row extends object>(name: string, text: string, values: readonly unknown[]) {
      const pool: Pool = await (orm.driver.getConnection() as PostgreSqlConnection).getNativeClient();
      return (await pool.query<Row>({ name, text, values: [...values] })).rows;
    },
    em,
    async transaction(work) {
      for (let attempt = 0; ; attempt += 1) {
        try {
          const result = await em().transactional(work);
          await siteNews.catchUp();
          return result;
        } catch (error) {
          if (attempt >= RETRIES || !RETRYABLE.has((error as { code?: string }).code ?? '')) throw error;
        }
      }
    },
    async migrate() {
      await em().transactional((tx) => migrate(orm, tx));
    },
    async schemaDrift() {
      const drift = await orm.schema.getUpdateSchemaSQL({ safe: false });
      return drift
        .split('\n')
        .filter((line) => line.trim() !== '' && !/"migration"|^set names|^drop (?:trigger|function) /.test(line))
        .join('\n');
    },
    newActivities: activityNews,
    siteChanges: siteNews,
    isReady: () => orm.isConnected(),
    async close() {
      sessions.close();
      await Promise.all([activityNews.close(), siteNews.close()]);
      await orm.close(true);
    },
  };
}

async function migrate(orm: MikroORM, tx: EntityManager): Promise<void> {
  const lock = sql`select set_config('lock_timeout', '0', true), pg_advisory_xact_lock(${MIGRATION_LOCK})`;
  await lock.execute(db(tx));
  await requireKnownSchema(tx);
  await orm.migrator.up({ transaction: tx.getTransactionContext()! });
  await recordCompatibility(tx);
}

/**
 * The ORM's driver without a leak: kysely does not return a session to the pool if BEGIN or ROLLBACK fails, which happens when
 * PostgreSQL ends sessions. A pool that loses all its sessions in this way can no longer run any statement.
 *
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

  /** The driver reads `bigint` and `timestamptz` as strings. The entities, and so the types of the columns, have numbers and dates. */
  override mapOptions(overrides: PoolConfig): PoolConfig {
    const options = super.mapOptions(overrides);
    const types = options.types as TypeOverrides;
    types.setTypeParser(pgTypes.builtins.INT8, Number);
    types.setTypeParser(pgTypes.builtins.TIMESTAMPTZ, (text) => new Date(text));
    return options;
  }
}

function returnSessions(driver: Driver): Driver {
  const begin = driver.beginTransaction.bind(driver);
  const rollBack = driver.rollbackTransaction.bind(driver);
  const orReturn = (session: DatabaseConnection, step: Promise<void>) =>
    step.catch(async (error: unknown) => {
      await driver.releaseConnection(session);
      throw error;
    });
  driver.beginTransaction = (session, settings) => orReturn(session, begin(session, settings));
  driver.rollbackTransaction = (session) => orReturn(session, rollBack(session));
  return driver;
}
