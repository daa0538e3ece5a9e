import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { ERROR_STATUS, ErrorBody, type ErrorCode } from '@berth/contract';
import { sweep } from '@berth/core/jobs';
import type { QueryConfig } from 'pg';
import { expect } from 'vitest';
import type { TestDatabase } from './database.ts';
import { expectCounted, expectSwept } from './invariants.ts';
import type { HttpResponse } from './requests.ts';
import type { TestServer } from './server.ts';

const REQUEST_ID = /^[0-9a-f]{32}$/;
/** Matches text that reveals the inside of the server: stack lines, file paths and SQL. Source: api §2. */
const INTERNAL_TEXTS =
  /\n\s+at |\.[jt]s:\d+|node_modules\/\.|file:\/\/|\/(?:tmp|home|root|usr|var)\/|\b(?:select|insert into|update|delete from) \S+ /i;

/**
 * Returns all that a request could change: the data folder, and the number and a hash of the rows of each table,
 * without the last use of tokens and the last heartbeats of processes.
 */
export async function footprintOf({ database, berth }: TestServer) {
  const statement = summaries.get(berth) ?? summaryOf(await tablesOf(database));
  summaries.set(berth, statement);
  const rows = await database.query<{ table: string; rows: string }>(statement);
  return {
    rows: Object.fromEntries(rows.map(({ table, rows }) => [table, rows])),
    files: readdirSync(berth.config.dataDir, { recursive: true, encoding: 'utf8' }).toSorted(),
  };
}

/** The statements that summarize the tables of servers. PostgreSQL plans them for longer than it runs them. */
const summaries = new WeakMap<TestServer['berth'], QueryConfig>();

function summaryOf(tables: readonly string[]): QueryConfig {
  const summary = (table: string) => `
    select '${table}' as table, count(*) || ' ' || coalesce(md5(string_agg(r, ',' order by r)), '') as rows
    from (select (to_jsonb(t) - 'used' - 'heartbeat')::text as r from "${table}" t) s`;
  return { name: 'summary', text: tables.map(summary).join(' union all ') };
}

async function tablesOf(database: TestDatabase): Promise<string[]> {
  const tables = await database.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  );
  return tables.map(({ name }) => name);
}

/** Checks an error response: status, headers, error body, request id, and no text from the inside of the server. */
export function expectError({ status, headers, text }: HttpResponse, code: ErrorCode): ErrorBody {
  expect({ status, text }).toEqual({ status: ERROR_STATUS[code], text: expect.stringContaining(`"error":"${code}"`) });
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(headers['x-request-id']).toMatch(REQUEST_ID);
  expect(text).not.toMatch(INTERNAL_TEXTS);
  const body = ErrorBody.strict().parse(JSON.parse(text));
  expect(body.status).toBe(status);
  expect(body.message.length).toBeGreaterThan(10);
  if (status === 503) expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
  return body;
}

/** Checks the status and headers of a JSON response, and parses its body with a schema that allows no other fields. */
export function readJson<T>(
  { status, headers, json }: HttpResponse,
  expectedStatus: number,
  schema: { strict(): { parse(value: unknown): T } },
): T {
  expect(status).toBe(expectedStatus);
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(/./),
  });
  expect(headers).not.toHaveProperty('x-powered-by');
  expect(headers).not.toHaveProperty('server');
  return schema.strict().parse(json());
}

/** Checks that a request fails with this error, and changes no rows and no files. Source: security §3. */
export async function expectRefusal(
  server: TestServer,
  code: ErrorCode,
  sendRequest: () => Promise<HttpResponse>,
): Promise<ErrorBody> {
  const footprintBefore = await footprintOf(server);
  const body = expectError(await sendRequest(), code);
  expect(await footprintOf(server)).toEqual(footprintBefore);
  expect([...server.berth.core.activePacks]).toEqual([]);
  return body;
}

/**
 * Stops a server at the end of a test file and checks it. No upload is open, counters equal a recount, no unexpected
 * errors were logged, and after a sweep every file is referred to. No secret is in the log or in the database.
 *
 * @param options.secrets Additional texts that must appear nowhere, such as site passwords.
 * @param options.faults Whether the tests cause faults, which are then in the log.
 * Source: storage I3, I4, I10, I11; security T20.
 */
export async function closeClean(
  server: TestServer,
  { secrets = [], faults = false }: { secrets?: readonly string[]; faults?: boolean } = {},
): Promise<void> {
  try {
    await expectClean(server, secrets, faults);
  } finally {
    await server.close();
  }
}

async function expectClean(server: TestServer, secrets: readonly string[], faults: boolean): Promise<void> {
  const { database, berth, logged } = server;
  expect([...berth.core.activePacks]).toEqual([]);
  expect(await database.query(`select id from pack where state = 'open'`)).toEqual([]);
  await expectCounted(database);
  if (!faults) expect(logged.filter(({ level }) => level !== 'info')).toEqual([]);
  await expectNoSecrets(server, secrets);

  await sweep(berth.core, { graceMs: 0 });
  await expectSwept({ database, packsDir: join(berth.config.dataDir, 'packs') });
}

async function expectNoSecrets({ database, logged, secrets }: TestServer, extra: readonly string[]): Promise<void> {
  const log = logged.map((line) => inspect(line, { depth: null, breakLength: Infinity, maxStringLength: null }));
  const dumps = (await tablesOf(database)).map((table) => `select t::text as row from "${table}" t`);
  const rows = await database.query<{ row: string }>(dumps.join(' union all '));
  const text = [...log, ...rows.map(({ row }) => row)].join('\n');
  expect(text).not.toMatch(/(?:ship|deploy)-[0-9a-f]{32}/i);
  for (const secret of [...secrets, ...extra]) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(Buffer.from(secret).toString('hex'));
    expect(text).not.toContain(Buffer.from(secret).toString('base64').replace(/=+$/, ''));
  }
}
