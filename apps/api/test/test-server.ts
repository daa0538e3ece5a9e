import { type ChildProcess, spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CreatedDeployment } from '@berth/contract';
import type { Log } from '@berth/core';
import { createAccount, createTestDatabase, createToken, insertApiKey, type TestDatabase } from '@berth/core/testing';
import { type Berth, startBerth } from '../src/server.ts';

/** The owner's API key on every test server. */
export const OWNER_KEY = 'ship-00000000000000000000000000000001';

/** A complete answer. */
export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  bytes: Buffer;
  text: string;
  /** The body as JSON. @throws when it is not JSON. */
  json<T = Record<string, unknown>>(): T;
}

export interface Ask {
  method?: string;
  /** `null` sends no `Authorization`. Default: the owner's key. */
  key?: string | null;
  headers?: Record<string, string>;
  body?: Buffer | string | undefined;
  /** Sent as JSON, in place of a body. */
  json?: unknown;
}

/** The bytes of file parts by the name in the part. */
export type Files = Record<string, string | Buffer>;

export interface PublishOptions extends Ask {
  /** Additional fields; `checksums` is added when it is missing. */
  fields?: Record<string, string>;
}

/** A complete server on port 0, on its own database and folder. */
export interface TestServer {
  berth: Berth;
  /** Its `query` waits until the server has received the notifications about changed sites. */
  database: TestDatabase;
  dataDir: string;
  port: number;
  /** Everything that was logged. */
  logged: { level: 'info' | 'warn' | 'error'; fields: Record<string, unknown>; message: string }[];
  /**
   * Texts that must never appear in the log or the database: the credentials that the server created, and the claim
   * hashes in its answers.
   */
  secrets: Set<string>;
  /** Sends a request to the API host. */
  api(path: string, ask?: Ask): Promise<Answer>;
  /** Sends a request to a site, by the id of its deployment or by a whole URL. */
  visit(site: string, path?: string, ask?: Ask): Promise<Answer>;
  /** Publishes files; the answer may be an error. */
  deploy(files: Files, options?: PublishOptions): Promise<Answer>;
  /** Publishes files. @throws when the answer is not 201. */
  publish(files: Files, options?: PublishOptions): Promise<CreatedDeployment>;
  /** A new account with an API key and a deploy token. */
  account(plan?: string): Promise<{ account: string; key: string; deployToken: string }>;
  close(): Promise<void>;
}

/**
 * Starts a server without periodic jobs, so that no sweep and no DNS check changes anything during a test, however long
 * it takes.
 *
 * @param env Additional variables, such as `PLANS_FILE`; a function gets the server's database.
 */
export async function startTestServer(
  env: Record<string, string> | ((database: TestDatabase) => Promise<Record<string, string>>) = {},
): Promise<TestServer> {
  const database = await createTestDatabase();
  const more = typeof env === 'function' ? await env(database) : env;
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-api-'));
  const logged: TestServer['logged'] = [];
  const log: Log = {
    info: (fields, message) => void logged.push({ level: 'info', fields: { ...fields }, message }),
    warn: (fields, message) => void logged.push({ level: 'warn', fields: { ...fields }, message }),
    error: (fields, message) => void logged.push({ level: 'error', fields: { ...fields }, message }),
  };
  const berth = await startBerth(testEnvironment(database, dataDir, { JOBS: 'off', ...more }), log);
  const { port } = berth.config;
  const secrets = new Set([OWNER_KEY]);
  const sendRequest = askerOf(port, ({ text }) => {
    for (const [, hash] of text.matchAll(/\/claim\/([0-9a-f]{32})"/g)) secrets.add(hash!);
  });
  return {
    berth,
    database: {
      ...database,
      async query(text, values) {
        const rows = await database.query(text, values);
        await berth.core.database.siteChanges.catchUp();
        return rows as never;
      },
    },
    dataDir,
    port,
    logged,
    secrets,
    ...sendRequest,
    async account(plan = 'free') {
      const { core } = berth;
      const made = await core.database.transaction(async (em) => {
        const account = createAccount(em, core, { email: `${crypto.randomUUID()}@test`, plan });
        const key = insertApiKey(em, core, account);
        const { secret } = createToken(em, account, { kind: 'deploy', created: core.now() });
        return { account, key, deployToken: secret };
      });
      secrets.add(made.key).add(made.deployToken);
      return made;
    },
    async close() {
      await berth.close();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The environment of a test server. */
export function testEnvironment(
  database: TestDatabase,
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
    // Nothing listens there: a test that needs DNS provides its own server.
    DNS_SERVERS: '127.0.0.1:1',
    RATE_LIMITS: 'off',
    // Background work would change the rows and files that most tests compare.
    COMPRESSION: 'off',
    ...env,
  };
}

/**
 * Functions that send requests to a port.
 *
 * @param onAnswer Called with every answer of the API host.
 */
export function askerOf(port: number, onAnswer: (answer: Answer) => void = () => {}) {
  const api = async (path: string, ask: Ask = {}) => {
    const answer = await send(port, `localhost:${port}`, path, ask);
    onAnswer(answer);
    return answer;
  };
  const deploy = (files: Files, { fields = {}, ...ask }: PublishOptions = {}) => {
    const { contentType, body } = formOf(files, fields);
    return api('/deployments', {
      method: 'POST',
      ...ask,
      headers: { 'Content-Type': contentType, ...ask.headers },
      body,
    });
  };
  return {
    api,
    deploy,
    visit: (site: string, path = '/', ask: Ask = {}) => send(port, hostOf(site, port), path, { key: null, ...ask }),
    async publish(files: Files, options: PublishOptions = {}): Promise<CreatedDeployment> {
      const answer = await deploy(files, options);
      if (answer.status !== 201) throw new Error(`Publishing answered ${answer.status}: ${answer.text}`);
      return answer.json<CreatedDeployment>();
    },
  };
}

/** A multipart form of files and fields, built by hand so that it can contain any name. */
export function formOf(files: Files, fields: Record<string, string> = {}): { contentType: string; body: Buffer } {
  const boundary = 'berth-test-3f1c';
  const all = { checksums: JSON.stringify(Object.values(files).map((bytes) => hash('md5', bytes))), ...fields };
  const pieces: (string | Buffer)[] = [];
  for (const [name, bytes] of Object.entries(files))
    pieces.push(
      `--${boundary}\r\nContent-Disposition: form-data; name="files[]"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
      bytes,
      '\r\n',
    );
  for (const [name, value] of Object.entries(all))
    pieces.push(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
  pieces.push(`--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat(pieces.map((piece) => Buffer.from(piece))),
  };
}

/** The real program in a separate process, while it starts, runs or stops. */
export interface LaunchedProcess {
  child: ChildProcess;
  /** Everything it has printed so far. */
  output(): string;
  /** Resolves once a text was printed. Rejects, with the output, if the process ends before. */
  printed(text: string): Promise<void>;
  /** Resolves with the exit code, or the signal that ended it, once all its output was received. */
  exited: Promise<number | NodeJS.Signals>;
}

/** A server in a separate process, for tests that end processes. */
export interface ServerProcess extends LaunchedProcess, ReturnType<typeof askerOf> {
  port: number;
}

const MAIN = join(import.meta.dirname, '../src/main.ts');
/** Halves the time a process takes to start. */
const COMPILE_CACHE = join(import.meta.dirname, '../../../node_modules/.cache/node');

/** Starts the real program, which may fail to start. */
export function launchProcess(env: Record<string, string>): LaunchedProcess {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env['PATH']!, NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const exited = once(child, 'close').then(([code, signal]) => (signal ?? code) as number | NodeJS.Signals);
  return {
    child,
    exited,
    output: () => output,
    printed: (text) =>
      new Promise((resolve, reject) => {
        const check = () => output.includes(text) && resolve();
        check();
        for (const stream of [child.stdout, child.stderr]) stream.on('data', check);
        void exited.then((code) => reject(new Error(`The server ended with ${code}:\n${output}`)));
      }),
  };
}

/** Starts the real program and waits until it is ready. @throws with its output when it ends before. */
export function startProcess(env: Record<string, string>): Promise<ServerProcess> {
  return whenUp(launchProcess(env));
}

/** Waits until a launched program is ready. @throws with its output when it ends before. */
export async function whenUp(launched: LaunchedProcess): Promise<ServerProcess> {
  await launched.printed('Berth is up');
  const port = Number(/localhost:(\d+)/.exec(launched.output())![1]);
  return { ...launched, port, ...askerOf(port) };
}

function hostOf(site: string, port: number): string {
  return site.includes('://') ? new URL(site).host : `${site}.localhost:${port}`;
}

function send(
  port: number,
  host: string,
  path: string,
  { method = 'GET', key = OWNER_KEY, headers = {}, json, body = JSON.stringify(json) }: Ask,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const req = httpRequest({
      host: '127.0.0.1',
      port,
      path,
      method,
      agent: false,
      headers: {
        Host: host,
        ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
        ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
        ...headers,
      },
    });
    req.on('error', reject);
    req.on('response', (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('error', reject);
      res.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const text = bytes.toString();
        resolve({ status: res.statusCode!, headers: res.headers, bytes, text, json: () => JSON.parse(text) });
      });
    });
    req.end(body);
  });
}
