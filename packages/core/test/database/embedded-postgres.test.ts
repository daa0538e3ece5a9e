import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, mkdtemp, readdir, readFile, rm, stat, watch, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from '../../src/database/embedded-postgres.ts';
import { readAnnouncement, queryOnce, connectTo, killProcess, postmaster, spawnOwner } from './running-postgres.ts';

const WITHOUT_FSYNC = { settings: { fsync: 'off' } };
const VISITOR = { ...WITHOUT_FSYNC, visitor: true };
const isRoot = process.getuid?.() === 0;
const isLinux = process.platform === 'linux';

const runningDatabases = new Set<EmbeddedPostgres>();

const root = await mkdtemp(join(tmpdir(), 'berth-postgres-'));
/** A folder with a complete database, on which tests start and stop servers. */
const initializedDir = join(root, 'warm');
await (await startEmbeddedPostgres(initializedDir, WITHOUT_FSYNC)).stop();
afterEach(async () => {
  await Promise.all([...runningDatabases].map((server) => server.stop()));
  runningDatabases.clear();
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function start(dir: string, options: EmbeddedPostgresOptions = WITHOUT_FSYNC): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres(dir, options);
  runningDatabases.add(server);
  return server;
}

/** Whether a process is running. A zombie, whose command line is empty, is not. */
async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
    return !isLinux || (await readFile(`/proc/${pid}/cmdline`, 'utf8')) !== '';
  } catch {
    return false;
  }
}

/** Resolves when an entry whose name starts with `prefix` appears in a folder. */
async function appears(dir: string, prefix: string): Promise<void> {
  for await (const { filename } of watch(dir)) if (filename?.startsWith(prefix)) return;
}

describe('an embedded PostgreSQL', () => {
  it('creates a database in an empty folder, in which commits are durable and which only its owner can open', async () => {
    const dir = join(root, 'cold', 'nested');
    const server = await start(dir, {});
    expect(server.adopted).toBe(false);
    expect(await queryOnce(server, 'select current_database()')).toBe('berth');
    for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes'])
      expect(await queryOnce(server, `show ${setting}`)).toBe('on');
    expect(await queryOnce(server, 'show listen_addresses')).toBe('');
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    expect((await stat(join(dir, '.s.PGSQL.5432'))).mode & 0o777).toBe(0o700);
    expect((await stat(join(dir, 'data'))).uid).toBe((await stat(dir)).uid);
  });

  it('leaves no process and no socket after it was stopped, and can be stopped again', async () => {
    const server = await start(initializedDir);
    const pid = await postmaster(initializedDir);
    expect(await isAlive(pid)).toBe(true);
    await Promise.all([server.stop(), server.stop()]);
    await server.stop();
    expect(await isAlive(pid)).toBe(false);
    expect(await readdir(initializedDir)).not.toContain('.s.PGSQL.5432');
  });

  it('ends open sessions when it stops', async () => {
    const server = await start(initializedDir);
    const client = await connectTo(server);
    const clientEnded = new Promise((resolve) => client.once('end', resolve));
    await client.query('begin');
    await server.stop();
    await clientEnded;
  });

  it('keeps its data after a restart', async () => {
    const firstServer = await start(initializedDir);
    await queryOnce(firstServer, 'create table kept as select 42 as value');
    await firstServer.stop();
    const secondServer = await start(initializedDir);
    expect(secondServer.adopted).toBe(false);
    expect(await queryOnce(secondServer, 'table kept')).toBe('42');
  });

  it('accepts settings and a number of connections', async () => {
    const server = await start(initializedDir, { maxConnections: 23, settings: { work_mem: '1MB' } });
    expect(await queryOnce(server, 'show max_connections')).toBe('23');
    expect(await queryOnce(server, 'show work_mem')).toBe('1MB');
  });

  it.runIf(isLinux)('does not pass its environment, which contains secrets, to the server', async () => {
    process.env['SECRET_KEY'] = 'marker';
    try {
      await start(initializedDir);
      expect(await readFile(`/proc/${await postmaster(initializedDir)}/environ`, 'utf8')).not.toContain('marker');
    } finally {
      delete process.env['SECRET_KEY'];
    }
  });
});

describe('a process that shares the folder of an embedded PostgreSQL', () => {
  it('leaves the server that it started to a later owner, which stops the server', async () => {
    const visitor = await start(initializedDir, VISITOR);
    const owner = spawnOwner(initializedDir);
    expect(await readAnnouncement(owner)).toEqual({ adopted: true });
    const pid = await postmaster(initializedDir);
    await Promise.all([visitor.stop(), visitor.stop()]);
    expect(await queryOnce(visitor, 'select 1')).toBe('1');
    owner.stdin!.end();
    await once(owner, 'exit');
    expect(await isAlive(pid)).toBe(false);
  });

  it.each(['its owner lives', 'its owner was killed'] as const)('leaves the server running when %s', async (fate) => {
    const owner = spawnOwner(initializedDir);
    await readAnnouncement(owner);
    const pid = await postmaster(initializedDir);
    const visitors = [await start(initializedDir, VISITOR), await start(initializedDir, VISITOR)];
    if (fate === 'its owner was killed') await killProcess(owner);
    await visitors[0]!.stop();
    expect(await isAlive(pid)).toBe(true);
    await visitors[1]!.stop();
    expect(await isAlive(pid)).toBe(fate === 'its owner lives');
    owner.stdin!.end();
    if (fate === 'its owner lives') await once(owner, 'exit');
    expect(await isAlive(pid)).toBe(false);
  });

  it('stops the server that it started as a visitor when no other process uses the server', async () => {
    const visitor = await start(initializedDir, VISITOR);
    const pid = await postmaster(initializedDir);
    await visitor.stop();
    expect(await isAlive(pid)).toBe(false);
  });

  it('starts the only server when several processes start at once on an empty folder', async () => {
    const dir = join(root, 'together');
    const visitors = [spawnOwner(dir, 'visitor'), spawnOwner(dir, 'visitor'), spawnOwner(dir, 'visitor')];
    const [here, ...others] = await Promise.all([start(dir), ...visitors.map(readAnnouncement)]);
    expect([here, ...others].filter(({ adopted }) => !adopted)).toHaveLength(1);
    const pid = await postmaster(dir);
    for (const visitor of visitors) visitor.stdin!.end();
    await Promise.all(visitors.map((visitor) => once(visitor, 'exit')));
    await here.stop();
    expect(await isAlive(pid)).toBe(false);
  });

  it('starts after another process was killed while it created the database', async () => {
    const dir = join(root, 'half-made');
    await mkdir(dir);
    const initBegun = appears(dir, 'initdb-');
    const owner = spawnOwner(dir);
    await initBegun;
    await killProcess(owner);
    const server = await start(dir);
    expect(await queryOnce(server, 'select current_database()')).toBe('berth');
    expect((await readdir(dir)).filter((name) => name.startsWith('initdb-'))).toEqual([]);
  });

  it('starts after another process was killed while its server started', async () => {
    const startBegun = appears(join(initializedDir, 'data'), 'postmaster.pid');
    const owner = spawnOwner(initializedDir);
    await startBegun;
    await killProcess(owner);
    const server = await start(initializedDir);
    expect(await queryOnce(server, 'select 1')).toBe('1');
    const pid = await postmaster(initializedDir);
    await server.stop();
    expect(await isAlive(pid)).toBe(false);
  });

  it.each(['a dead process', 'a live process that is no server'])(
    'starts although a postmaster.pid names %s',
    async (whose) => {
      const otherProcess = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' });
      await once(otherProcess, 'spawn');
      if (whose === 'a dead process') await killProcess(otherProcess);
      const lines = [
        otherProcess.pid,
        join(initializedDir, 'data'),
        '1790000000',
        '5432',
        initializedDir,
        '',
        '',
        'ready',
        '',
      ].join('\n');
      await writeFile(join(initializedDir, 'data', 'postmaster.pid'), lines);
      await writeFile(join(initializedDir, '.s.PGSQL.5432.lock'), lines);
      const server = await start(initializedDir);
      expect(server.adopted).toBe(false);
      expect(await postmaster(initializedDir)).not.toBe(otherProcess.pid);
      if (otherProcess.exitCode === null && otherProcess.signalCode === null) await killProcess(otherProcess);
    },
  );
});

describe('an embedded PostgreSQL on its system', () => {
  it('listens in a private temporary folder when the path is too long for a socket', async () => {
    const dir = join(root, 'a'.repeat(60), 'b'.repeat(60));
    const server = await start(dir);
    const { socketDir } = server.address;
    expect(socketDir.startsWith(tmpdir())).toBe(true);
    expect((await stat(socketDir)).mode & 0o777).toBe(0o700);
    expect(await queryOnce(server, 'select 1')).toBe('1');
    await server.stop();
    expect((await start(dir)).address.socketDir).toBe(socketDir);
    await rm(socketDir, { recursive: true });
  });

  it.runIf(isRoot && isLinux)('runs as the owner of the folder when root starts it', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'berth-owned-'));
    await chown(dir, 65_534, 65_534);
    const server = await start(dir);
    const status = await readFile(`/proc/${await postmaster(dir)}/status`, 'utf8');
    expect(status).toMatch(/^Uid:\t65534\t65534\t65534\t65534$/m);
    await server.stop();
    await rm(dir, { recursive: true });
  });

  it.each([
    ['platform', 'win32', /runs on Linux and macOS, not on win32-.* Set DATABASE_URL/],
    ['arch', 'mips', /optional package @embedded-postgres\/\w+-mips, is not installed. Set DATABASE_URL/],
  ] as const)(
    'reports what to do if process.%s is %s, for which there is no package',
    async (property, value, message) => {
      const originalProperty = Object.getOwnPropertyDescriptor(process, property)!;
      Object.defineProperty(process, property, { ...originalProperty, value });
      try {
        await expect(startEmbeddedPostgres(join(root, 'nowhere'))).rejects.toThrow(message);
      } finally {
        Object.defineProperty(process, property, originalProperty);
      }
    },
  );

  it('reports why the server ended and what to do, and releases its locks', async () => {
    const dir = join(root, 'foreign');
    await mkdir(join(dir, 'data'), { recursive: true, mode: 0o700 });
    await writeFile(join(dir, 'data', 'PG_VERSION'), '9.6\n');
    for (let attempt = 0; attempt < 2; attempt += 1)
      await expect(startEmbeddedPostgres(dir, WITHOUT_FSYNC)).rejects.toThrow(
        /did not start in .*postgres.*Set DATABASE_URL/s,
      );
  });
});
