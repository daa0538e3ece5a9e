import { Migrator } from '@mikro-orm/migrations';
import { type EntityManager, MikroORM, type PostgreSqlConnection } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Pool } from 'pg';
import * as entities from '../entities/index.ts';
import type { Log } from '../log.ts';
import type { DatabaseAddress } from './connection-config.ts';
import { SessionReturningDriver } from './driver.ts';
import { type Listener, openListener } from './listener.ts';
import { migrations } from './migrations/index.ts';
import { recordCompatibility, requireKnownSchema } from './schema-compatibility.ts';
import { createSessions } from './sessions.ts';

/** The connection to PostgreSQL and everything that is read or written through it. */
export interface Database {
  /** For statements outside of any unit of work. */
  readonly kysely: ReturnType<EntityManager['getKysely']>;
  /**
   * The rows of a statement that is asked again and again: each connection parses it once, and plans it the first few times.
   *
   * @param name The same for the same text, and for no other.
   */
  prepared<Row extends object>(name: string, text: string, values: readonly unknown[]): Promise<Row[]>;
  /** A fresh unit of work. Each procedure, job or request takes its own. */
  em(): EntityManager;
  /**
   * Runs `work` in one transaction, repeated at most twice when a lock could not be had in time or two
   * transactions stood in each other's way. `work` must be safe to run again.
   *
   * When it resolves this process has been told of every site that is shown otherwise by what was committed, or does not
   * trust what it keeps of sites any more. Source: serving S2.
   */
  transaction<T>(work: (em: EntityManager) => Promise<T>): Promise<T>;
  /**
   * Brings the schema up to date. Safe for any number of processes at once.
   *
   * @throws SchemaTooNewError when a newer program has changed the database so that this one cannot work with it.
   */
  migrate(): Promise<void>;
  /** The SQL that would make the schema equal to the entities, triggers aside; empty when they agree. */
  schemaDrift(): Promise<string>;
  /** Word of new activities, when they are committed: `{ account, id }` as JSON. */
  readonly newActivities: Listener;
  /** Word of what is shown otherwise, when that is committed: `{ deployment }`, `{ domain }` or `{ account }` as JSON. */
  readonly siteChanges: Listener;
  /** True when a query is answered. */
  isReady(): Promise<boolean>;
  close(): Promise<void>;
}

const MIGRATION_LOCK = 7_212_001;
const RETRIES = 2;
// lock_not_available, deadlock_detected
const RETRYABLE = new Set(['55P03', '40P01']);

/** What {@link openDatabase} can be given. */
export interface DatabaseOptions {
  /** How many connections are opened at most for statements. Default 16. */
  poolSize?: number;
  /** Gets a line when the database is away and when it is back. Default: nothing is logged. */
  log?: Log;
}

/** How long a statement waits for a free connection. */
const POOL_TIMEOUT_MS = 15_000;
const SILENT: Log = { info() {}, warn() {}, error() {} };

/**
 * Connects to PostgreSQL. The pool is filled on demand. While the database is known to be away every statement fails at once.
 *
 * @throws Error when the address cannot be read.
 */
export function openDatabase(
  address: DatabaseAddress,
  { poolSize = 16, log = SILENT }: DatabaseOptions = {},
): Database {
  const sessions = createSessions(address, log);
  const orm = new MikroORM({
    driver: SessionReturningDriver,
    entities: Object.values(entities),
    // The sessions know where to connect.
    dbName: 'berth',
    pool: { min: 0, max: poolSize },
    driverOptions: { Client: sessions.Session, connectionTimeoutMillis: POOL_TIMEOUT_MS },
    extensions: [Migrator],
    migrations: { migrationsList: [...migrations], snapshot: false, tableName: 'migration', silent: true },
    ignoreUndefinedInQuery: true,
    logger: () => {},
  });
  const em = () => orm.em.fork() as EntityManager;
  const activityNews = openListener(sessions.Session, 'berth_activity');
  const siteNews = openListener(sessions.Session, 'berth_site');
  return {
    kysely: em().getKysely(),
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
      await em().transactional(async (tx) => {
        await sql`select set_config('lock_timeout', '0', true), pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(
          tx.getKysely(),
        );
        await requireKnownSchema(tx.getKysely());
        await orm.migrator.up({ transaction: tx.getTransactionContext()! });
        await recordCompatibility(tx.getKysely());
      });
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
