import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Berth, startBerth } from '@berth/api';
import { createTestDatabase } from '@berth/testing/database';
import { createTestClient, type TestClient } from '@berth/testing/requests';
import { testEnvironment } from '@berth/testing/server';
import { runBerth } from './run-berth.ts';

/** An installation without rows and files, into which a backup can be restored. */
export interface Installation {
  env: Record<string, string>;
  dataDir: string;
  /** Runs a statement on the database. */
  query<T extends object>(text: string): Promise<T[]>;
  remove(): Promise<void>;
}

/** Creates an empty installation. @param url Another database than a new one of the server of all tests. */
export async function createInstallation(url?: string): Promise<Installation> {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-restore-'));
  return {
    env: testEnvironment({ ...database, url: url ?? database.url }, dataDir, { JOBS: 'off' }),
    dataDir,
    query: (text) => database.query(text),
    async remove() {
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Starts a server on an installation for the duration of `work`. */
export async function whileServing<T>(
  { env }: Pick<Installation, 'env'>,
  work: (client: TestClient, berth: Berth) => Promise<T>,
): Promise<T> {
  const ignore = () => {};
  const berth = await startBerth(env, { info: ignore, warn: ignore, error: ignore });
  try {
    return await work(createTestClient(berth.config.port), berth);
  } finally {
    await berth.close();
  }
}

/** Checks everything that is stored. @returns The findings other than advice. */
export async function findProblems({ env }: Pick<Installation, 'env'>): Promise<object[]> {
  const { out, err } = await runBerth(env, 'doctor', '--json');
  if (err !== '') throw new Error(err);
  const { findings } = JSON.parse(out) as { findings: { severity: string }[] };
  return findings.filter(({ severity }) => severity !== 'advice');
}
