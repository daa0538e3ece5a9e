import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { openDatabase } from '../../core/src/database/database.ts';
import type { EmbeddedPostgres } from '../../core/src/database/embedded-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: DatabaseServer;
  }
}

/** Name of the migrated database from which every test database is copied. */
const TEMPLATE = 'berth_template';

/** Address of the PostgreSQL server that all tests share. */
type DatabaseServer = EmbeddedPostgres['address'];

/** A database for one test. */
export interface TestDatabase {
  address: DatabaseServer;
  /** The address as a `DATABASE_URL`. */
  url: string;
  /** Runs a statement directly on the database, not through the core. One with a name is planned once for each session. */
  query<T extends pg.QueryResultRow>(statement: string | pg.QueryConfig, values?: unknown[]): Promise<T[]>;
  drop(): Promise<void>;
}

/** Creates the migrated template database on a server. */
export async function createTemplate(server: DatabaseServer): Promise<void> {
  await administer(server, `create database ${TEMPLATE}`);
  const template = openDatabase({ ...server, database: TEMPLATE });
  await template.migrate();
  await template.close();
}

/** Copies the template database on a server, which takes about 15 ms. Default: the server of all tests. */
export function createTestDatabase(server?: DatabaseServer): Promise<TestDatabase> {
  return copyDatabase(TEMPLATE, server);
}

/** Creates a database without tables on the server of all tests. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return copyDatabase('template0');
}

async function copyDatabase(template: string, server: DatabaseServer = inject('postgres')): Promise<TestDatabase> {
  const database = `t_${randomBytes(6).toString('hex')}`;
  // Copying files takes a third of the time that PostgreSQL needs to copy every page through its buffers and its log.
  await administer(server, `create database ${database} template ${template} strategy file_copy`);
  const address = { ...server, database };
  const pool = new pg.Pool({ host: server.socketDir, port: 5432, user: server.user, database, max: 2 });
  pool.on('error', () => {});
  return {
    address,
    url: `postgresql://${server.user}@${encodeURIComponent(server.socketDir)}:5432/${database}`,
    query: async (statement, values) => (await pool.query(statement, values)).rows,
    async drop() {
      await pool.end();
      await administer(server, `drop database if exists ${database} with (force)`);
    },
  };
}

async function administer(server: DatabaseServer, statement: string): Promise<void> {
  const pool = administratorsOf(server);
  // PostgreSQL refuses to copy the template twice at the same time, so the second copy is retried.
  for (let attempt = 0; ; attempt += 1) {
    try {
      await pool.query(statement);
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== '55006' || attempt > 100) throw error;
      await pool.query('select pg_sleep(0.02)');
    }
  }
}

/** The sessions that create and drop databases, by the folder of their server. A session of its own for each statement would take longer than the statement. */
const administrators = new Map<string, pg.Pool>();

function administratorsOf({ socketDir, user, database }: DatabaseServer): pg.Pool {
  const existing = administrators.get(socketDir);
  if (existing) return existing;
  const options = { host: socketDir, port: 5432, user, database, max: 4, idleTimeoutMillis: 60_000 };
  const pool = new pg.Pool({ ...options, allowExitOnIdle: true });
  // A server that stops ends its sessions. The next statement opens another one.
  pool.on('error', () => {});
  administrators.set(socketDir, pool);
  return pool;
}
