import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Berth, startBerth } from '@berth/api';
import { type Caps, type CreatedDeployment, DEFAULT_PLANS, type DeployLimits } from '@berth/contract';
import type { Core, Log } from '@berth/core';
import { createFirstLink } from '@berth/core/operator';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { createAccount, createToken, insertApiKey } from './internals.ts';
import {
  createTestClient,
  type Files,
  type HttpResponse,
  OWNER_KEY,
  type PublishOptions,
  type RequestOptions,
} from './requests.ts';

/** A complete server on a free port, with its own database and data folder. */
export interface TestServer {
  berth: Berth;
  /** The database of the server. Its `query` waits until the server knows all changed sites. */
  database: TestDatabase;
  dataDir: string;
  port: number;
  /** Every line that the server logged. */
  logged: { level: 'info' | 'warn' | 'error'; fields: Record<string, unknown>; message: string }[];
  /** Texts that must never appear in the log or the database: created credentials, and received claim hashes. */
  secrets: Set<string>;
  /** Sends a request to the API host. */
  api(path: string, options?: RequestOptions): Promise<HttpResponse>;
  /** Sends a request to a site, named by the id of its deployment or by a whole URL. */
  visit(site: string, path?: string, options?: RequestOptions): Promise<HttpResponse>;
  /** Publishes files and returns the response, which may be an error. */
  deploy(files: Files, options?: PublishOptions): Promise<HttpResponse>;
  /** Publishes files and returns the deployment. @throws when the status is not 201. */
  publish(files: Files, options?: PublishOptions): Promise<CreatedDeployment>;
  /** Creates an account with an API key and a deploy token. */
  account(plan?: string): Promise<{ account: string; key: string; deployToken: string }>;
  /** Creates a one-time link for a member of any account. */
  signInLink(email: string): Promise<string>;
  close(): Promise<void>;
}

/** Changes to built-in plans, by the name of the plan. */
type PlanChanges = Record<string, { limits?: Partial<DeployLimits>; caps?: Partial<Caps>; closed?: string }>;

export interface ServerOptions {
  /** Additional environment variables, or a function that derives them from the database. */
  env?: Record<string, string> | ((database: TestDatabase) => Promise<Record<string, string>>);
  /** Changes to the built-in plans. Default: none. */
  plans?: PlanChanges;
  /** Replaces parts of the core before the server uses them. */
  parts?: (core: Core) => Partial<Core>;
}

/** Starts a server without periodic jobs, so that no sweep and no DNS check interferes with a test. */
export async function startServer({ env = {}, plans, parts }: ServerOptions = {}): Promise<TestServer> {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-api-'));
  const additionalEnv = typeof env === 'function' ? await env(database) : env;
  const loggedEntries: TestServer['logged'] = [];
  const log: Log = {
    info: (fields, message) => void loggedEntries.push({ level: 'info', fields: { ...fields }, message }),
    warn: (fields, message) => void loggedEntries.push({ level: 'warn', fields: { ...fields }, message }),
    error: (fields, message) => void loggedEntries.push({ level: 'error', fields: { ...fields }, message }),
  };
  const variables = testEnvironment(database, dataDir, { JOBS: 'off', ...additionalEnv });
  const berth = await withPlansFile(plans, (file) => startBerth({ ...variables, ...file }, log, { parts }));
  const { port } = berth.config;
  const secrets = new Set([OWNER_KEY]);
  const testClient = createTestClient(port, ({ text }) => {
    for (const [, hash] of text.matchAll(/\/claim\/([0-9a-f]{32})"/g)) secrets.add(hash!);
  });
  return {
    berth,
    database: {
      ...database,
      async query(statement, values) {
        const rows = await database.query(statement, values);
        await berth.core.database.changes.catchUp();
        return rows as never;
      },
    },
    dataDir,
    port,
    logged: loggedEntries,
    secrets,
    ...testClient,
    async account(plan = 'free') {
      const { core } = berth;
      const created = await core.database.transaction(async (em) => {
        const account = createAccount(em, core, { email: `${crypto.randomUUID()}@test`, plan });
        const key = insertApiKey(em, core, account);
        const { secret } = createToken(em, account, { kind: 'deploy', created: core.now() });
        return { account, key, deployToken: secret };
      });
      secrets.add(created.key).add(created.deployToken);
      return created;
    },
    signInLink: async (email) => (await createFirstLink(berth.core, email)).url,
    async close() {
      await berth.close();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Returns the environment of a server on a database. */
export function testEnvironment(
  database: Pick<TestDatabase, 'url'>,
  dataDir: string,
  env: Record<string, string> = {},
): Record<string, string> {
  return {
    NODE_ENV: 'test',
    HOST: '127.0.0.1',
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    OWNER_API_KEY: OWNER_KEY,
    // Nothing listens at this address. A test that needs DNS provides its own server.
    DNS_SERVERS: '127.0.0.1:1',
    RATE_LIMITS: 'off',
    // Whether the console is built on this machine must not matter. Its tests build it.
    CONSOLE_FOLDER: 'none',
    // Background compression would change rows and files that most tests compare.
    COMPRESSION: 'off',
    ...env,
  };
}

/** Writes a `PLANS_FILE` for the duration of `work`. A server reads the file only when it starts. */
async function withPlansFile<T>(
  changes: PlanChanges | undefined,
  work: (env: { PLANS_FILE?: string }) => Promise<T>,
): Promise<T> {
  if (changes === undefined) return work({});
  const plans = DEFAULT_PLANS.map((plan) => {
    const { limits, caps, ...rest } = changes[plan.plan] ?? {};
    return { ...plan, ...rest, limits: { ...plan.limits, ...limits }, caps: plan.caps && { ...plan.caps, ...caps } };
  });
  const folder = await mkdtemp(join(tmpdir(), 'berth-plans-'));
  const file = join(folder, 'plans.json');
  await writeFile(file, JSON.stringify({ plans }));
  try {
    return await work({ PLANS_FILE: file });
  } finally {
    await rm(folder, { recursive: true });
  }
}
