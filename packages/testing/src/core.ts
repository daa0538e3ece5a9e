import { EventEmitter } from 'node:events';
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BLOCKED_EXTENSIONS, type CreatedDeployment, DEFAULT_PLANS } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { afterAll, expect } from 'vitest';
import type { AccountCaller, AnonymousCaller, Browser, Caller, Core } from '../../core/src/core.ts';
import { openDatabase } from '../../core/src/database/database.ts';
import type { ServiceError } from '../../core/src/errors.ts';
import { createDns } from '../../core/src/dns/dns.ts';
import { createAccount, insertApiKey } from '../../core/src/services/accounts/accounts.ts';
import { createActivityFeed } from '../../core/src/services/activities/activity-feed.ts';
import { addToken } from '../../core/src/services/accounts/tokens.ts';
import { authenticate, authenticateSession } from '../../core/src/services/authentication.ts';
import { createFirstLink, useLink } from '../../core/src/services/sign-in/links.ts';
import type { SessionCaller } from '../../core/src/services/sign-in/session-scope.ts';
import { newBootId, recordHeartbeat } from '../../core/src/services/sweep/sweep.ts';
import { beginDeploy } from '../../core/src/services/deployments/deploy.ts';
import { readIdempotencyKey } from '../../core/src/services/deployments/idempotency.ts';
import { LiveSiteCache } from '../../core/src/services/sites/live-sites.ts';
import { loadFiles } from '../../core/src/services/sites/load-files.ts';
import { createPlans } from '../../core/src/services/accounts/plans.ts';
import { openDiskPacks } from '../../core/src/storage/disk-packs.ts';
import { createRuleCompiler } from '../../core/src/rule-compiler/rule-compiler.ts';
import { createHasher } from '../../core/src/storage/hasher.ts';
import { UNTRACED } from '../../core/src/tracing.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

/** The sessions of a core. Opening more of them for many calls at once would take longer than the calls. */
const POOL_SIZE = 6;

/** A complete core on its own database and folder. */
export interface TestCore {
  core: Core;
  database: TestDatabase;
  packsDir: string;
  /** Creates an account with an API key. */
  account(plan?: string): Promise<{ caller: AccountCaller; key: string }>;
  /** Creates a deploy token of an account. */
  deployToken(of: AccountCaller): Promise<AccountCaller>;
  /** Moves the clock of the core forward. */
  advance(seconds: number): void;
  close(): Promise<void>;
}

export async function createTestCore(overrides: Partial<Core> = {}): Promise<TestCore> {
  const testDatabase = await createTestDatabase();
  const dir = await mkdtemp(join(tmpdir(), 'berth-core-'));
  const packsDir = join(dir, 'packs');
  let offsetMs = 0;
  const database = openDatabase(testDatabase.address, { poolSize: POOL_SIZE });
  const core: Core = {
    database,
    // Nothing listens at this address. A test that needs DNS passes its own server.
    dns: createDns({ servers: ['127.0.0.1:1'], timeoutMs: 50, deadlineMs: 250 }),
    packs: await openDiskPacks(packsDir),
    hasher: createHasher(),
    ruleCompiler: createRuleCompiler(),
    plans: createPlans(DEFAULT_PLANS),
    ownerEmail: 'owner@localhost',
    anonymousDeploys: true,
    blockedExtensions: new Set(BLOCKED_EXTENSIONS),
    addresses: {
      platformDomain: 'sites.test',
      platformHost: 'sites.test',
      cnameTarget: 'cname.test',
      apexAddresses: ['192.0.2.10', '2001:db8::10'],
      serviceHosts: new Set(['api.test', 'cname.test']),
      site: (id) => `https://${id}.sites.test`,
      domain: (name) => `https://${name}`,
      claim: (hash) => `https://api.test/claim/${hash}`,
      console: 'https://api.test',
      firstLink: (secret) => `https://api.test/#first=${secret}`,
      invite: (secret) => `https://api.test/app/invite#${secret}`,
      share: (hash) => `https://api.test/setup/${hash}`,
    },
    keys: {
      cursor: randomBytes(32),
      idempotency: randomBytes(32),
      unlock: randomBytes(32),
      proof: randomBytes(32),
      code: randomBytes(32),
    },
    activityFeed: createActivityFeed(database.changes),
    signIn: { mailer: null, provider: null, signUp: null },
    rateLimits: null,
    log: { info() {}, warn() {}, error() {} },
    tracer: UNTRACED,
    boot: newBootId(),
    activePacks: new Set(),
    published: new EventEmitter(),
    now: () => new Date(Date.now() + offsetMs),
    ...overrides,
  };
  await recordHeartbeat(core);
  return {
    core,
    database: testDatabase,
    packsDir,
    async account(plan = 'free') {
      const key = await core.database.transaction(async (em) =>
        insertApiKey(em, core, createAccount(em, core, { email: `${randomBytes(4).toString('hex')}@test`, plan })),
      );
      return { key, caller: (await authenticate(core, `Bearer ${key}`, '127.0.0.1')) as AccountCaller };
    },
    async deployToken(of) {
      const { secret } = await addToken({ core, caller: of }, { kind: 'deploy' });
      return (await authenticate(core, `Bearer ${secret}`, '127.0.0.1')) as AccountCaller;
    },
    advance(seconds) {
      offsetMs += seconds * 1000;
    },
    async close() {
      await core.database.close();
      await core.hasher.close();
      await core.ruleCompiler.close();
      await testDatabase.drop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** A browser whose cookies a test can read. */
export interface TestBrowser extends Browser {
  session: string | null;
  proof: string | null;
}

/** Creates a browser without cookies. */
export function createTestBrowser(fields: Partial<TestBrowser> = {}): TestBrowser {
  const browser: TestBrowser = {
    agent: 'Test',
    address: '192.0.2.1',
    refusal: null,
    session: null,
    proof: null,
    keepSession: (secret) => void (browser.session = secret),
    keepProof: (secret) => void (browser.proof = secret),
    afterResponse: (work) => void work(),
    ...fields,
  };
  return browser;
}

/** Signs a member in by a one-time link. */
export async function signInByLink(
  core: Core,
  email: string,
  browser: TestBrowser = createTestBrowser(),
): Promise<{ core: Core; browser: TestBrowser; caller: SessionCaller }> {
  const { url } = await createFirstLink(core, email);
  await useLink(core, browser, url.split('=').at(-1)!);
  return { core, browser, caller: await callerOf(core, browser) };
}

/** Returns the caller of a browser. Fails the test if no one is signed in. */
export async function callerOf(core: Core, browser: Browser): Promise<SessionCaller> {
  const caller = await authenticateSession(core, browser.session, browser.address);
  if (caller.kind !== 'account') expect.unreachable('no one is signed in');
  return caller as SessionCaller;
}

/** Creates a core for the tests of one file. */
export async function useTestCore(overrides: Partial<Core> = {}): Promise<TestCore> {
  const testCore = await createTestCore(overrides);
  afterAll(() => testCore.close());
  return testCore;
}

/** Returns the error of a call. Fails the test if the call succeeds. */
export function refusal(call: Promise<unknown>): Promise<ServiceError> {
  return call.then(
    () => expect.unreachable('the call was not refused'),
    (error: ServiceError) => error,
  );
}

/** Returns the errors of those calls that fail. */
export async function refusals(calls: readonly Promise<unknown>[]): Promise<ServiceError[]> {
  const outcomes = await Promise.allSettled(calls);
  return outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as ServiceError] : []));
}

/** Resolves when a statement of the database waits for a lock. */
export async function untilLockIsAwaited({ database }: TestCore): Promise<void> {
  const lockWaits = () =>
    database.query(`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
  await expect.poll(lockWaits).toHaveLength(1);
}

/** Holds the locks that `take` takes in another transaction until `work` finishes or calls `release`. */
export async function whileLocked(
  core: Core,
  take: (em: EntityManager) => Promise<unknown>,
  work: (release: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const { promise: done, resolve: end } = Promise.withResolvers<void>();
  const { promise: locked, resolve: hold } = Promise.withResolvers<void>();
  const transaction = core.database.transaction(async (em) => {
    await take(em);
    hold();
    await done;
  });
  await locked;
  const release = () => (end(), transaction);
  await work(release).finally(release);
}

/** Returns the core of another process on the same database and packs. */
export async function anotherProcess({ core }: TestCore): Promise<Core> {
  const otherCore = { ...core, boot: newBootId(), activePacks: new Set<string>() };
  await recordHeartbeat(otherCore);
  return otherCore;
}

/** Inserts the row of a pack of this process. @returns The id of the pack. */
export async function insertPack({ core, database }: TestCore, state: 'open' | 'sealed' | 'dead'): Promise<string> {
  const id = randomUUID();
  await database.query(
    `insert into pack (id, state, boot_id, created, sealed) values ($1, $2, $3, now(), case when $2 = 'sealed' then now() end)`,
    [id, state, core.boot],
  );
  return id;
}

/** Returns the path of the file of a pack. */
export const packFile = ({ packsDir }: TestCore, id: string) => join(packsDir, id.slice(0, 1), `${id}.pack`);

/** Inverts the lowest bit of the byte at a position of a file. */
export async function flipBit(file: string, position: number): Promise<void> {
  const handle = await open(file, 'r+');
  const byte = Buffer.alloc(1);
  await handle.read(byte, 0, 1, position);
  byte[0]! ^= 1;
  await handle.write(byte, 0, 1, position);
  await handle.close();
}

/** A caller without a credential. */
export const ANONYMOUS: AnonymousCaller = { kind: 'anonymous', address: '192.0.2.1' };

/** Files to upload, by name and in order. A name that occurs twice needs the form of pairs. */
export type TestFiles =
  | Record<string, string | Uint8Array>
  | readonly (readonly [name: string, bytes: string | Uint8Array])[];

/** Returns the `checksums` field for the given files. */
export function checksumsOf(files: TestFiles): string {
  return JSON.stringify(pairsOf(files).map(([, bytes]) => hash('md5', bytes)));
}

/** Publishes files as the deploy route does, and always closes the upload. Absent `checksums` are computed. */
export async function deploySite(
  core: Core,
  caller: Caller,
  files: TestFiles,
  {
    key,
    chunkBytes = 65_536,
    fields = {},
  }: { key?: string; chunkBytes?: number; fields?: Record<string, string | null> } = {},
): Promise<{ body: CreatedDeployment; replayed: boolean }> {
  const deploy = await beginDeploy({ core, caller }, readIdempotencyKey(key, caller));
  try {
    for (const [name, value] of Object.entries({ checksums: checksumsOf(files), ...fields }))
      if (value !== null) deploy.form.add(name, value);
    for (const [name, bytes] of pairsOf(files)) {
      const sink = deploy.files.begin(name);
      const content = Buffer.from(bytes);
      for (let offset = 0; offset < content.length; offset += chunkBytes)
        await sink.write(content.subarray(offset, offset + chunkBytes));
      sink.end();
    }
    return await deploy.commit();
  } finally {
    await deploy.close();
  }
}

/** Returns the bytes that visitors of a deployment get, by path, or `null` if the site cannot be served. */
export async function readSite(core: Core, deployment: string): Promise<Record<string, Buffer> | null> {
  const site = await new LiveSiteCache(core).find({ deployment });
  if (typeof site !== 'object' || site === null) return null;
  const files = await Promise.all(
    [...(await loadFiles(core, deployment))!.keys()].map(
      async (path) => [path, await core.packs.read(await site.manifest.load(path))] as const,
    ),
  );
  return Object.fromEntries(files);
}

export async function readText(core: Core, deployment: string): Promise<Record<string, string> | null> {
  const files = await readSite(core, deployment);
  return files && Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, bytes.toString()]));
}

function pairsOf(files: TestFiles): readonly (readonly [string, string | Uint8Array])[] {
  return Array.isArray(files) ? files : Object.entries(files);
}
