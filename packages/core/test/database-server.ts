import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../src/database/database.ts';
import { startEmbeddedPostgres } from '../src/database/embedded-postgres.ts';
import { TEMPLATE, type TestServer } from './test-database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: TestServer;
  }
}

/** One PostgreSQL server for the whole run, with a migrated template that each test file copies. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dir = await mkdtemp(join(tmpdir(), 'berth-test-'));
  const server = await startEmbeddedPostgres(dir, {
    maxConnections: 400,
    settings: { fsync: 'off', full_page_writes: 'off' },
  });
  const { socketDir, user, database } = server.address;
  const client = new pg.Client({ host: socketDir, port: 5432, user, database });
  await client.connect();
  await client.query(`create database ${TEMPLATE}`);
  await client.end();
  const template = openDatabase({ socketDir, user, database: TEMPLATE });
  await template.migrate();
  await template.close();
  project.provide('postgres', { socketDir, user, database });
  return async () => {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  };
}
