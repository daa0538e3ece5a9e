import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../core/src/database/embedded-postgres.ts';
import { createTemplate } from './database.ts';

/** Starts one PostgreSQL server for all tests, with a migrated template database that each test file copies. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dir = await mkdtemp(join(tmpdir(), 'berth-test-'));
  const server = await startEmbeddedPostgres(dir, {
    maxConnections: 400,
    settings: { fsync: 'off', full_page_writes: 'off' },
  });
  await createTemplate(server.address);
  project.provide('postgres', server.address);
  return async () => {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  };
}
