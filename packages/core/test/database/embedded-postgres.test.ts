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
import { announced, ask, connect, kill, postmaster, spawnOwner } from './running-postgres.ts';

const QUICK = { settings: { fsync: 'off' } };
const VISITOR = { ...QUICK, visitor: true };
const isRoot = process.getuid?.() === 0;
const isLinux = process.platform === 'linux';

const running = new Set<EmbeddedPostgres>();

const root = await mkdtemp(join(tmpdir(), 'berth-postgres-'));
/** A folder with a complete database, on which tests start and stop servers. */
const warm = join(root, 'warm');
await (await startEmbeddedPostgres(warm, QUICK)).stop();
afterEach(async () => {
  await Promise.all([...running].map((server) => server.stop()));
  running.clear();
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function start(dir: string, options: EmbeddedPostgresOptions = QUICK): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres(dir, options);
  running.add(server);
  return server;
}

/** Whether a process runs. A process that ended and waits for its parent has no command line. */
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
    expect(await ask(server, 'select current_database()')).toBe('berth');
    for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes'])
      expect(await ask(server, `show ${setting}`)).toBe('on');
    expect(await ask(server, 'show listen_addresses')).toBe('');
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    expect((await stat(join(dir, '.s.PGSQL.5432'))).mode & 0o777).toBe(0o700);
    expect((await stat(join(dir, 'data'))).uid).toBe((await stat(dir)).uid);
  });

  it('leaves no process and no socket after it was stopped, and can be stopped again', async () => {
    const server = await start(warm);
    const pid = await postmaster(warm);
    expect(await isAlive(pid)).toBe(true);
    await Promise.all([server.stop(), server.stop()]);
    await server.stop();
    expect(await isAlive(pid)).toBe(false);
    expect(await readdir(warm)).not.toContain('.s.PGSQL.5432');
  });

  it('ends open sessions when it stops', async () => {
    const server = await start(warm);
    const client = await connect(server);
    const ended = new Promise((resolve) => client.once('end', resolve));
    await client.query('begin');
    await server.stop();
    await ended;
  });

  it('keeps its data after a restart', async () => {
    const first = await start(warm);
    await ask(first, 'create table kept as select 42 as value');
    await first.stop();
    const second = await start(warm);
    expect(second.adopted).toBe(false);
    expect(await ask(second, 'table kept')).toBe('42');
  });

  it('accepts settings and a number of connections', async () => {
    const server = await start(warm, { maxConnections: 23, settings: { work_mem: '1MB' } });
    expect(await ask(server, 'show max_connections')).toBe('23');
    expect(await ask(server, 'show work_mem')).toBe('1MB');
  });

  it.runIf(isLinux)('does not pass its environment, which contains secrets, to the server', async () => {
    process.env['SECRET_KEY'] = 'marker';
    try {
      await start(warm);
      expect(await readFile(`/proc/${await postmaster(warm)}/environ`, 'utf8')).not.toContain('marker');
    } finally {
      delete process.env['SECRET_KEY'];
    }
  });
});

describe('a process that shares the folder of an embedded PostgreSQL', () => {
  it('leaves the server that it started to a later owner, which stops the server', async () => {
    const visitor = await start(warm, VISITOR);
    const owner = spawnOwner(warm);
    expect(await announced(owner)).toEqual({ adopted: true });
    const pid = await postmaster(warm);
    await Promise.all([visitor.stop(), visitor.stop()]);
    expect(await ask(visitor, 'select 1')).toBe('1');
    owner.stdin!.end();
    await once(owner, 'exit');
    expect(await isAlive(pid)).toBe(false);
  });

  it.each(['its owner lives', 'its owner was killed'] as const)('leaves the server running when %s', async (fate) => {
    const owner = spawnOwner(warm);
    await announced(owner);
    const pid = await postmaster(warm);
    const visitors = [await start(warm, VISITOR), await start(warm, VISITOR)];
    if (fate === 'its owner was killed') await kill(owner);
    await visitors[0]!.stop();
    expect(await isAlive(pid)).toBe(true);
    await visitors[1]!.stop();
    expect(await isAlive(pid)).toBe(fate === 'its owner lives');
    owner.stdin!.end();
    if (fate === 'its owner lives') await once(owner, 'exit');
    expect(await isAlive(pid)).toBe(false);
  });

  it('stops the server that it started as a visitor when no other process uses the server', async () => {
    const visitor = await start(warm, VISITOR);
    const pid = await postmaster(warm);
    await visitor.stop();
    expect(await isAlive(pid)).toBe(false);
  });

  it('starts the only server when several processes start at once on an empty folder', async () => {
    const dir = join(root, 'together');
    const visitors = [spawnOwner(dir, 'visitor'), spawnOwner(dir, 'visitor'), spawnOwner(dir, 'visitor')];
    const [here, ...others] = await Promise.all([start(dir), ...visitors.map(announced)]);
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
    const begun = appears(dir, 'initdb-');
    const owner = spawnOwner(dir);
    await begun;
    await kill(owner);
    const server = await start(dir);
    expect(await ask(server, 'select current_database()')).toBe('berth');
    expect((await readdir(dir)).filter((name) => name.startsWith('initdb-'))).toEqual([]);
  });

  it('starts after another process was killed while its server started', async () => {
    const begun = appears(join(warm, 'data'), 'postmaster.pid');
    const owner = spawnOwner(warm);
    await begun;
    await kill(owner);
    const server = await start(warm);
    expect(await ask(server, 'select 1')).toBe('1');
    const pid = await postmaster(warm);
    await server.stop();
    expect(await isAlive(pid)).toBe(false);
  });

  it.each(['a dead process', 'a live process that is no server'])(
    'starts although a postmaster.pid names %s',
    async (whose) => {
      const other = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' });
      await once(other, 'spawn');
      if (whose === 'a dead process') await kill(other);
      const lines = [other.pid, join(warm, 'data'), '1790000000', '5432', warm, '', '', 'ready', ''].join('\n');
      await writeFile(join(warm, 'data', 'postmaster.pid'), lines);
      await writeFile(join(warm, '.s.PGSQL.5432.lock'), lines);
      const server = await start(warm);
      expect(server.adopted).toBe(false);
      expect(await postmaster(warm)).not.toBe(other.pid);
      if (other.exitCode === null && other.signalCode === null) await kill(other);
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
    expect(await ask(server, 'select 1')).toBe('1');
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
  ] as const)('reports what to do when the %s is %s', async (property, value, message) => {
    const before = Object.getOwnPropertyDescriptor(process, property)!;
    Object.defineProperty(process, property, { ...before, value });
    try {
      await expect(startEmbeddedPostgres(join(root, 'nowhere'))).rejects.toThrow(message);
    } finally {
      Object.defineProperty(process, property, before);
    }
  });

  it('reports why the server ended and what to do, and releases its locks', async () => {
    const dir = join(root, 'foreign');
    await mkdir(join(dir, 'data'), { recursive: true, mode: 0o700 });
    await writeFile(join(dir, 'data', 'PG_VERSION'), '9.6\n');
    for (let attempt = 0; attempt < 2; attempt += 1)
      await expect(startEmbeddedPostgres(dir, QUICK)).rejects.toThrow(/did not start in .*postgres.*Set DATABASE_URL/s);
  });
});
