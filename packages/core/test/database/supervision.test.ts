import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/database/embedded-postgres.ts';
import { readAnnouncement, queryOnce, connectTo, killProcess, postmaster, spawnOwner } from './running-postgres.ts';

const isLinux = process.platform === 'linux';

let dir: string;
let server: EmbeddedPostgres;
let loggedMessages: string[];
/** Resolves with the first line of the log, after the supervisor has noticed the end of the server. */
let noticed: Promise<string>;
let onLogMessage: (message: string) => void;

function note(_: object, message: string): void {
  loggedMessages.push(message);
  onLogMessage(message);
}
const start = () =>
  startEmbeddedPostgres(dir, { settings: { fsync: 'off' }, log: { info: note, warn: note, error: note } });

/** A folder with a new, stopped database. Each test copies the folder, which is faster than creating a database. */
const template = await mkdtemp(join(tmpdir(), 'berth-template-'));
await (await startEmbeddedPostgres(template, { settings: { fsync: 'off' } })).stop();
afterAll(() => rm(template, { recursive: true, force: true }));

async function copyTemplate(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-supervised-'));
  // The copy keeps the owner of the files, because PostgreSQL may run as another user.
  execFileSync('cp', ['-a', join(template, 'data'), join(folder, 'data')]);
  return folder;
}

const query = (sql: string) => queryOnce(server, sql);
const isBack = (times: number) =>
  expect.poll(() => loggedMessages.filter((message) => message === 'The database is back').length).toBe(times);

describe('api §12: an embedded PostgreSQL is restarted', () => {
  beforeEach(async () => {
    dir = await copyTemplate();
    loggedMessages = [];
    ({ promise: noticed, resolve: onLogMessage } = Promise.withResolvers<string>());
    server = await start();
  });
  afterEach(async () => {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  });

  it('after each SIGKILL, with its data, at the same address, and with two log lines', async () => {
    await query('create table kept (kill int)');
    for (let kill = 1; kill <= 3; kill += 1) {
      await query(`insert into kept values (${kill})`);
      const pidBefore = await postmaster(dir);
      process.kill(pidBefore, 'SIGKILL');
      await isBack(kill);
      expect(await postmaster(dir)).not.toBe(pidBefore);
      expect(await query('select count(*) from kept')).toBe(String(kill));
    }
    expect(loggedMessages).toEqual(
      [1, 2, 3].flatMap(() => ['The database ended (signal 9); restarting', 'The database is back']),
    );
  });

  it('after an immediate shutdown by another process', async () => {
    process.kill(await postmaster(dir), 'SIGQUIT');
    await isBack(1);
    expect(loggedMessages[0]).toMatch(/^The database ended \((?:exit code|signal) \d+\); restarting$/);
    expect(await query('select 1')).toBe('1');
  });

  it('after it was adopted from a process that was killed', async () => {
    await server.stop();
    const owner = spawnOwner(dir);
    await readAnnouncement(owner);
    await killProcess(owner);
    server = await start();
    expect(server.adopted).toBe(true);
    process.kill(await postmaster(dir), 'SIGKILL');
    await isBack(1);
    expect(await query('select 1')).toBe('1');
  });

  it('after it was killed again during its recovery', async () => {
    await query('create table big as select g, repeat(md5(g::text), 20) as text from generate_series(1, 50000) g');
    process.kill(await postmaster(dir), 'SIGKILL');
    let killCount = 0;
    await expect
      .poll(async () => {
        const pid = await postmaster(dir).catch(() => 0);
        if (pid > 0 && killCount < 3 && !loggedMessages.includes('The database is back')) {
          try {
            process.kill(pid, 'SIGKILL');
            killCount += 1;
          } catch {}
        }
        return loggedMessages.includes('The database is back') && query('select count(*) from big').catch(() => 0);
      })
      .toBe('50000');
  });

  it.runIf(isLinux)('after it was killed while a stopped session of it holds the shared memory', async () => {
    const client = await connectTo(server);
    const session = Number((await client.query('select pg_backend_pid() as pid')).rows[0].pid);
    process.kill(session, 'SIGSTOP');
    process.kill(await postmaster(dir), 'SIGKILL');
    await isBack(1);
    expect(await query('select 1')).toBe('1');
    await expect(readlink(`/proc/${session}/cwd`)).rejects.toThrow('ENOENT');
    await client.end();
  });

  it('but not after it was stopped or while it is being stopped', async () => {
    process.kill(await postmaster(dir), 'SIGKILL');
    expect(await noticed).toBe('The database ended (signal 9); restarting');
    await server.stop();
    const lastPid = await postmaster(dir).catch(() => null);
    if (lastPid !== null) expect(() => process.kill(lastPid, 0)).toThrow('ESRCH');
    expect(loggedMessages).not.toContain('The database is back');
    await expect(query('select 1')).rejects.toThrow();
  });
});

describe('api §12: an embedded PostgreSQL that cannot be restarted', () => {
  /** Starts a server, breaks and kills it, and waits until the supervisor gives up. */
  async function breakServer(damage: (folder: string) => Promise<unknown>) {
    const folder = await copyTemplate();
    const lines: string[] = [];
    const addLine = (_: object, message: string) => void lines.push(message);
    const log = { info: addLine, warn: addLine, error: addLine };
    const { promise: gaveUp, resolve: giveUp } = Promise.withResolvers<Error>();
    const brokenServer = await startEmbeddedPostgres(folder, { settings: { fsync: 'off' }, log, giveUp });
    try {
      const pid = await postmaster(folder);
      await damage(folder);
      process.kill(pid, 'SIGKILL');
      const { message } = await gaveUp;
      return { message, lines, files: await readdir(folder) };
    } finally {
      await brokenServer.stop();
      await rm(folder, { recursive: true, force: true });
    }
  }

  // These tests run at the same time, because they wait for seconds between failing starts.
  it.concurrent('stays down after five failed starts in a row, with a message that says why', async () => {
    const { lines, message } = await breakServer((folder) => writeFile(join(folder, 'data/PG_VERSION'), '9.6\n'));
    expect(message).toMatch(/^The database ended and could not be started 5 times in a row\. .*initialized by/s);
    expect(lines.filter((line) => line === 'The database did not start; trying again')).toHaveLength(4);
  });

  it.concurrent('is not replaced by an empty database when its folder is gone', async () => {
    const { files, message } = await breakServer((dir) => rename(join(dir, 'data'), join(dir, 'elsewhere')));
    expect(message).toContain('the database is gone from');
    expect(files).not.toContain('data');
  });
});
