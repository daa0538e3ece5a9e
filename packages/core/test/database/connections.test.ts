import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmod, chown, copyFile, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refusal, refusals } from '@berth/testing/core';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/database/embedded-postgres.ts';
import { toServiceError } from '../../src/routers/error-body.ts';
import { connectTo } from './running-postgres.ts';

/** A separate loopback address, because the port of the embedded server is fixed. */
const HOST =
  process.platform === 'linux' ? `127.${randomInt(1, 255)}.${randomInt(255)}.${randomInt(1, 255)}` : '127.0.0.1';
const SESSIONS = `
  select a.application_name as app, coalesce(s.ssl, false) as tls, a.query
  from pg_stat_activity a left join pg_stat_ssl s using (pid) where a.datname = 'berth' and a.pid <> pg_backend_pid()`;

const MAX_END_MS = 8_000;

let dir: string;
let server: EmbeddedPostgres;
/** The self-signed certificate of the server. */
let certificate: string;
let admin: pg.Client;

/** A server that accepts only few TCP connections, all with TLS. */
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-tls-'));
  certificate = join(dir, 'ca.crt');
  const home = join(dir, 'postgres');
  await (await startEmbeddedPostgres(home, { settings: { fsync: 'off' } })).stop();
  const [key, crt, clients] = [join(home, 'server.key'), join(home, 'server.crt'), join(home, 'clients.conf')];
  const flags = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
  const names = ['-addext', `subjectAltName=DNS:localhost,IP:${HOST}`];
  execFileSync('openssl', ['req', ...flags, ...names, '-keyout', key, '-out', crt], { stdio: 'ignore' });
  await copyFile(crt, certificate);
  await writeFile(clients, 'local all all trust\nhostssl all all all trust\n');
  const { uid, gid } = await stat(join(home, 'data'));
  for (const file of [key, crt, clients]) await chown(file, uid, gid);
  await chmod(key, 0o600);
  server = await startEmbeddedPostgres(home, {
    maxConnections: 12,
    settings: {
      fsync: 'off',
      listen_addresses: HOST,
      hba_file: clients,
      ssl: 'on',
      ssl_cert_file: crt,
      ssl_key_file: key,
    },
  });
  admin = await connectTo(server);
  const database = openDatabase(server.address);
  await database.migrate();
  await database.close();
  await admin.query('create role app login');
  await admin.query('grant all on all tables in schema public to app');
});
afterAll(async () => {
  await admin.end();
  await server.stop();
  await rm(dir, { recursive: true, force: true });
});

const urlOf = (query: string, user = 'berth') => `postgres://${user}@${HOST}:5432/berth?application_name=ours&${query}`;

/** Returns the sessions of the pool and of the change log, as the server lists them. */
async function sessionsOf(url: string): Promise<{ pool: object; changeLog: object }> {
  const database = openDatabase({ url });
  try {
    await database.changes.subscribe(() => {});
    const [settings] = await database.prepared<Record<string, string>>(
      `select current_setting('work_mem') as work_mem, current_setting('lock_timeout') as lock_timeout, current_user::text as "user"`,
      [],
    );
    const { rows } = await admin.query<{ app: string; tls: boolean; query: string }>(SESSIONS);
    const strip = ({ app, tls }: { app: string; tls: boolean }) => ({ app, tls });
    return {
      pool: { ...strip(rows.find(({ query }) => query.includes('work_mem'))!), ...settings },
      changeLog: strip(rows.find(({ query }) => query.includes('pg_current_snapshot'))!),
    };
  } finally {
    await database.close();
    // PostgreSQL lists a session until its process has ended. A pool that is not closed keeps a session for 10 s.
    await expect.poll(async () => (await admin.query(SESSIONS)).rowCount, { timeout: MAX_END_MS }).toBe(0);
  }
}

describe('scale B1: a connection by DATABASE_URL, for statements or for the change log,', () => {
  it.each([
    ['no-verify', () => 'sslmode=no-verify'],
    ['verify-full and its CA', () => `sslmode=verify-full&sslrootcert=${encodeURIComponent(certificate)}`],
    ['require and its CA', () => `sslmode=require&sslrootcert=${encodeURIComponent(certificate)}`],
    ['require as libpq has it', () => 'uselibpqcompat=true&sslmode=require'],
  ])('uses TLS with sslmode=%s, and has the options of the URL in addition to those of Berth', async (_, query) => {
    const { pool, changeLog } = await sessionsOf(urlOf(`${query()}&options=-c%20work_mem%3D7MB`));
    expect(changeLog).toEqual({ app: 'ours', tls: true });
    expect(pool).toEqual({ app: 'ours', tls: true, work_mem: '7MB', lock_timeout: '8s', user: 'berth' });
  });

  it('can use the socket and the user that host= and user= of the URL name', async () => {
    const socket = encodeURIComponent(server.address.socketDir);
    const { pool, changeLog } = await sessionsOf(`postgresql:///berth?host=${socket}&user=app&application_name=ours`);
    expect(changeLog).toEqual({ app: 'ours', tls: false });
    expect(pool).toMatchObject({ app: 'ours', tls: false, user: 'app' });
  });

  it.each(['require', 'verify-full'])(
    'fails with sslmode=%s if the certificate of the server has no trusted issuer',
    async (mode) => {
      const database = openDatabase({ url: urlOf(`sslmode=${mode}`) });
      await expect(database.migrate()).rejects.toThrow(/self-signed certificate/);
      await expect(database.changes.subscribe(() => {})).rejects.toThrow(/self-signed certificate/);
      await database.close();
    },
  );

  it('fails with sslmode=disable if the server requires TLS', async () => {
    await expect(sessionsOf(urlOf('sslmode=disable'))).rejects.toThrow(/no encryption/);
  });
});

describe('scale B3: a database', () => {
  it('that is read-only causes a 503, and its session is replaced', async () => {
    const database = openDatabase(server.address, { poolSize: 1 });
    const writeTable = () => sql`create table if not exists written (x int)`.execute(database.kysely);
    await admin.query(`alter database berth set default_transaction_read_only = on`);
    try {
      const transaction = database.transaction((em) => sql`create table x (y int)`.execute(em.getKysely()));
      const errors = await refusals([writeTable(), transaction]);
      const outage = { code: 'unavailable', status: 503 };
      expect(errors.map(toServiceError)).toMatchObject([outage, outage]);
    } finally {
      await admin.query(`alter database berth reset default_transaction_read_only`);
    }
    // A session keeps the setting from its start, so that only a new session can write.
    await writeTable();
    await database.transaction((em) => sql`insert into written values (1)`.execute(em.getKysely()));
    await database.close();
  });

  it('without a free connection causes a 503, and works as soon as a connection is free', async () => {
    const url = `postgresql:///berth?host=${encodeURIComponent(server.address.socketDir)}&user=app`;
    const otherClients: pg.Client[] = [];
    const database = openDatabase({ url });
    try {
      for (;;) {
        const otherClient = new pg.Client(url);
        otherClient.on('error', () => {});
        otherClients.push(otherClient);
        const code = await otherClient.connect().catch((error: { code?: string }) => error.code);
        if (code === '53300') break;
      }
      const runQuery = () => sql`select 1`.execute(database.kysely);
      for (let n = 0; n < 3; n += 1)
        expect(toServiceError(await refusal(runQuery()))).toMatchObject({
          code: 'unavailable',
          retryAfterSeconds: expect.any(Number),
        });
      await otherClients.shift()!.end();
      await expect.poll(() => runQuery().catch(() => null)).toMatchObject({ rows: [{}] });
    } finally {
      await database.close();
      await Promise.all(otherClients.map((other) => other.end().catch(() => {})));
    }
  });
});
