import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from '@berth/testing/database';
import { launchProcess } from '@berth/testing/process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** Every invalid setting, with the expected content of its line. */
const FAULTS = {
  PORT: ['99999', '99999'],
  WORKERS: ['many', 'many'],
  BASE_URL: ['nonsense', 'nonsense'],
  PLATFORM_DOMAIN: ['sites/x', 'sites/x'],
  CNAME_TARGET: ['cname:1', 'cname:1'],
  APEX_ADDRESSES: ['nowhere-at-all', 'nowhere-at-all'],
  CLAIM_URL: ['ftp://x', 'ftp://x'],
  HOST: ['nowhere', 'nowhere'],
  DATABASE_URL: ['mysql://u:hunter2@host/x', 'postgres://'],
  OWNER_EMAIL: ['no-address', 'no-address'],
  OWNER_API_KEY: ['ship-hunter2', 'ship-'],
  SECRET_KEY: ['hunter2', '32 bytes'],
  TRUST_PROXY: ['0.0.0.0/0', '0.0.0.0/0'],
  DEFAULT_PLAN: ['gold', 'gold'],
  LOG_LEVEL: ['loud', 'loud'],
  SWEEP_GRACE: ['soon', 'soon'],
} as const;

describe('T37: a server that cannot start exits with 1 and explains why', () => {
  let folder: string;
  let portHolder: Server;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-start-'));
    portHolder = createServer().listen(0, '127.0.0.1');
    await once(portHolder, 'listening');
  });
  afterAll(async () => {
    portHolder.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** All output of a failed start, line by line. */
  async function refusal(env: Record<string, string>): Promise<string[]> {
    const launched = launchProcess({ NODE_ENV: 'test', PORT: '0', DATA_DIR: join(folder, 'data'), ...env });
    expect(await launched.exited, launched.output()).toBe(1);
    const lines = launched.output().trimEnd().split('\n');
    expect(lines[0]).toMatch(/^Berth cannot start/);
    expect(lines.join('\n')).not.toMatch(/^ +at |node:internal|hunter2/m);
    return lines;
  }

  it('names every fault of the environment at once, one a line, and repeats no secret', async () => {
    const [first, ...rest] = await refusal(
      Object.fromEntries(Object.entries(FAULTS).map(([name, [value]]) => [name, value])),
    );
    expect(first).toBe('Berth cannot start with this configuration:');
    expect(rest.map((line) => line.split(':')[0]).toSorted()).toEqual(Object.keys(FAULTS).toSorted());
    for (const [name, [, hint]] of Object.entries(FAULTS))
      expect(rest.find((line) => line.startsWith(`${name}:`))).toContain(hint);
  });

  it('refuses sample secrets and sites on the host of the API in production', async () => {
    const [, ...rest] = await refusal({
      NODE_ENV: 'production',
      SECRET_KEY: '0'.repeat(64),
      OWNER_API_KEY: `ship-${'0'.repeat(31)}1`,
    });
    expect(rest.map((line) => line.split(':')[0])).toEqual(['SECRET_KEY', 'OWNER_API_KEY', 'PLATFORM_DOMAIN']);
  });

  it.each([
    {
      why: 'the port is in use',
      env: () => ({ HOST: '127.0.0.1', PORT: String((portHolder.address() as AddressInfo).port) }),
      says: /port \d+ is in use\. Stop the program that uses it, or set PORT to another port\.$/,
    },
    {
      why: 'no server answers at DATABASE_URL',
      env: () => ({ DATABASE_URL: 'postgres://berth:hunter2@localhost:1/berth' }),
      says: /the database of DATABASE_URL cannot be used: .*ECONNREFUSED/,
    },
    {
      why: 'DATABASE_URL leads to something that says nothing',
      env: () => ({ DATABASE_URL: `postgres://berth@127.0.0.1:${(portHolder.address() as AddressInfo).port}/berth` }),
      says: /the database of DATABASE_URL cannot be used: The database does not answer\.$/,
    },
    {
      why: 'DATABASE_URL names a certificate that is not there',
      env: () => ({
        DATABASE_URL: 'postgres://berth@localhost:1/berth?sslmode=verify-full&sslrootcert=/nowhere/ca.pem',
      }),
      says: /the database of DATABASE_URL cannot be used: ENOENT.*\/nowhere\/ca\.pem/,
    },
  ])('explains that $why', async ({ env, says }) => {
    expect((await refusal(env())).join('\n')).toMatch(says);
  });

  it.each([
    ['/proc/x', 'cannot be created here (ENOENT)'],
    ['/proc/x/y/z', 'cannot be created here (ENOENT)'],
    ['/dev/null', 'is a file, or below one (ENOTDIR)'],
    ['/dev/null/x', 'is a file, or below one (ENOTDIR)'],
    ['/sys/x', /(?:EPERM|EROFS|EACCES|ENOENT)\)/],
  ])('newcomer B25: says in one line that DATA_DIR=%s cannot be used, and ends', async (dataDir, reason) => {
    for (const database of ['', 'postgres://localhost:1/berth']) {
      const lines = await refusal({ DATA_DIR: dataDir, DATABASE_URL: database });
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain(`DATA_DIR ${dataDir} `);
      expect(lines[0]).toMatch(reason);
      expect(lines[0]).toMatch(/Set DATA_DIR to a folder that this user can write to\.$/);
    }
  });

  it('scale B9: explains that a newer version has changed the database', async () => {
    const database = await createTestDatabase();
    await database.query(
      `insert into migration (name, executed_at, compatible_since) values ('0999-another-world', now(), 999)`,
    );
    const lines = await refusal({ DATABASE_URL: database.url });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('The database has schema 999, which needs a Berth that knows schema 999 or newer');
    await database.drop();
  });

  it('explains that the secret in DATA_DIR is invalid, and does not create another one', async () => {
    const database = await createTestDatabase();
    const dataDir = join(folder, 'spoiled');
    await mkdir(dataDir);
    await writeFile(join(dataDir, 'secret-key'), 'hunter2\n');
    const lines = await refusal({ DATA_DIR: dataDir, DATABASE_URL: database.url });
    expect(lines.join('\n')).toMatch(/spoiled\/secret-key must contain 64 hex digits; restore it/);
    expect(await readFile(join(dataDir, 'secret-key'), 'utf8')).toBe('hunter2\n');
    await database.drop();
  });
});
