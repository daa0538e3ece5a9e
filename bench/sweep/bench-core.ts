import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, newBootId, openDatabase, openDiskPacks, startEmbeddedPostgres, UNTRACED } from '@berth/core';
import { sweep } from '@berth/core/jobs';
import pg from 'pg';

/** A database with an empty schema, and its sweep. */
export interface BenchCore {
  connect(): Promise<pg.Client>;
  sweep(): ReturnType<typeof sweep>;
  stop(): Promise<void>;
}

/** Starts the embedded PostgreSQL with the settings of a server, on an empty folder. */
export async function startBenchCore(): Promise<BenchCore> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-bench-sweep-'));
  const postgres = await startEmbeddedPostgres(join(folder, 'postgres'), { maxConnections: 20 });
  const database: Database = openDatabase(postgres.address);
  await database.migrate();
  const log = { info() {}, warn: console.error, error: console.error };
  const packs = await openDiskPacks(join(folder, 'packs'));
  // The sweep uses no other part of a core.
  const core = {
    database,
    packs,
    log,
    tracer: UNTRACED,
    boot: newBootId(),
    activePacks: new Set<string>(),
    now: () => new Date(),
  } as unknown as Parameters<typeof sweep>[0];
  const clients: pg.Client[] = [];
  return {
    async connect() {
      const { socketDir, user, database: name } = postgres.address;
      const client = new pg.Client({ host: socketDir, port: 5432, user, database: name });
      await client.connect();
      clients.push(client);
      return client;
    },
    sweep: () => sweep(core, { graceMs: 0, fenceWaitMs: 100 }),
    async stop() {
      for (const client of clients) await client.end();
      await database.close();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
