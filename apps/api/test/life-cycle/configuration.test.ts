import { once } from 'node:events';
import { chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from '@berth/testing/database';
import { launchProcess } from '@berth/testing/process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBerth } from '../../src/server.ts';

const UNREACHABLE_URL = 'postgres://berth:hunter2@localhost:1/berth';

let folder: string;
let occupyingServer: Server;
let port: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-start-'));
  occupyingServer = createServer().listen(0, '127.0.0.1');
  await once(occupyingServer, 'listening');
  port = String((occupyingServer.address() as AddressInfo).port);
});
afterAll(async () => {
  occupyingServer.close();
  await rm(folder, { recursive: true, force: true });
});

describe('T37: a server process that cannot start exits with 1', () => {
  async function outputOfFailedStart(env: Record<string, string>): Promise<string> {
    const launched = launchProcess({ NODE_ENV: 'test', HOST: '127.0.0.1', PORT: '0', ...env });
    expect(await launched.exited, launched.output()).toBe(1);
    expect(launched.output()).not.toContain('hunter2');
    return launched.output();
  }

  it.concurrent('and reports every fault of its configuration, one on each line', async () => {
    const env = { PORT: '99999', DATABASE_URL: 'mysql://u:hunter2@host/x', SECRET_KEY: 'hunter2', WORKERS: 'many' };
    const [first, ...faults] = (await outputOfFailedStart(env)).trimEnd().split('\n');
    expect(first).toBe('Berth cannot start with this configuration:');
    expect(faults.map((line) => line.split(':')[0]).toSorted()).toEqual(Object.keys(env).toSorted());
  });

  it.concurrent.each(['1', '2'])('before it creates anything if the port is in use, WORKERS=%s', async (workers) => {
    const dataDir = await mkdtemp(join(folder, 'data-'));
    expect(await outputOfFailedStart({ DATA_DIR: dataDir, PORT: port, WORKERS: workers })).toBe(
      `Berth cannot start: port ${port} is in use. Stop the program that uses it, or set PORT to another port.\n`,
    );
    expect(await readdir(dataDir)).toEqual([]);
  });

  it.concurrent('and reports the database once if several workers cannot reach it', async () => {
    const env = { DATA_DIR: join(folder, 'workers'), DATABASE_URL: UNREACHABLE_URL, WORKERS: '2' };
    expect(await outputOfFailedStart(env)).toMatch(
      /^Berth cannot start: the database of DATABASE_URL cannot be used: .*ECONNREFUSED.*\n$/,
    );
  });
});

describe('T37: a server that cannot start gives the reason in one line', () => {
  async function reasonOfFailedStart(env: Record<string, string>): Promise<string> {
    const log = { info() {}, warn() {}, error() {} };
    const dataDir = join(folder, 'data');
    const start = startBerth({ NODE_ENV: 'test', HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDir, ...env }, log);
    const reason = await start.then(
      () => expect.unreachable('the server has started'),
      ({ message }: Error) => message,
    );
    expect(reason).not.toMatch(/\n|hunter2/);
    return reason;
  }

  it.each([
    ['an address where no server listens', () => UNREACHABLE_URL, /ECONNREFUSED/],
    [
      'a server that never responds',
      () => `postgres://berth@127.0.0.1:${port}/berth`,
      /: The database does not answer\.$/,
    ],
    [
      'a missing certificate',
      () => 'postgres://berth@localhost:1/berth?sslmode=verify-full&sslrootcert=/nowhere/ca.pem',
      /ENOENT.*\/nowhere\/ca\.pem/,
    ],
  ])('if DATABASE_URL names %s', async (_, url, cause) => {
    const reason = await reasonOfFailedStart({ DATABASE_URL: url() });
    expect(reason).toMatch(/^the database of DATABASE_URL cannot be used: /);
    expect(reason).toMatch(cause);
  });

  it.each([
    ['/proc/x', 'cannot be created here (ENOENT)'],
    ['/proc/x/y/z', 'cannot be created here (ENOENT)'],
    ['/dev/null', 'a part of the path is a file (ENOTDIR)'],
    ['/dev/null/x', 'a part of the path is a file (ENOTDIR)'],
    ['/sys/x', /(?:EPERM|EROFS|EACCES|ENOENT)\)/],
  ])('newcomer B25: if DATA_DIR=%s cannot be used', async (dataDir, reason) => {
    for (const database of ['', 'postgres://localhost:1/berth']) {
      const line = await reasonOfFailedStart({ DATA_DIR: dataDir, DATABASE_URL: database });
      expect(line).toContain(`DATA_DIR ${dataDir} `);
      expect(line).toMatch(reason);
      expect(line).toMatch(/Set DATA_DIR to a folder that this user can write to\.$/);
    }
  });

  it.runIf(process.getuid?.() === 0)('newcomer B9: if root starts it on the data of another user', async () => {
    const dataDir = await mkdtemp(join(folder, 'foreign-'));
    await chown(dataDir, 65_534, 65_534);
    const reason = await reasonOfFailedStart({ DATA_DIR: dataDir });
    expect(reason).toBe(
      `DATA_DIR ${dataDir} belongs to the user with the id 65534. Run Berth as this user, not as root, or set DATA_DIR to another folder.`,
    );
    expect(await readdir(dataDir)).toEqual([]);
  });

  it('scale B9: if a newer version has changed the database', async () => {
    const database = await createTestDatabase();
    await database.query(
      `insert into migration (name, executed_at, compatible_since) values ('0999-another-world', now(), 999)`,
    );
    expect(await reasonOfFailedStart({ DATABASE_URL: database.url })).toContain(
      'The database has schema 999, which needs a Berth that knows schema 999 or newer',
    );
    await database.drop();
  });

  it('if the secret key in DATA_DIR is invalid, and does not change the file', async () => {
    const database = await createTestDatabase();
    const dataDir = join(folder, 'spoiled');
    await mkdir(dataDir);
    await writeFile(join(dataDir, 'secret-key'), 'hunter2\n');
    expect(await reasonOfFailedStart({ DATA_DIR: dataDir, DATABASE_URL: database.url })).toMatch(
      /spoiled\/secret-key must contain 64 hex digits; restore it/,
    );
    expect(await readFile(join(dataDir, 'secret-key'), 'utf8')).toBe('hunter2\n');
    await database.drop();
  });
});
