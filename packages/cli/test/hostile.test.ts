import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createClient, deployFiles } from '@berth/client';
import { ERROR_STATUS } from '@berth/contract';
import { startAnswering } from '@berth/testing/fake-servers';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, expect, it } from 'vitest';
import { type Outcome, outcomeOf, createUser, writeFiles } from './user.ts';

/** A text with all kinds of characters that control a terminal: control characters, a line break, and changes of direction. */
const HOSTILE =
  'x\u001b[2J\u001b]0;title\u0007\u009b31m\u0090\r\nFORGED\t\u007f\u2028FORGED\u202e\u2066\u200f\u061c\u0000';

/** Matches characters of {@link HOSTILE} that must never reach a screen. The line feeds of the program itself are allowed. */
const CONTROL = /[^\P{Cc}\n]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|^FORGED/mu;

/** The fields that stay unchanged, because a command that checks them would fail before it prints anything. */
const UNCHANGED_FIELDS = new Set(['upload', 'missing', 'nextCursor']);

/** How a hostile server changes the responses of a real server. */
interface HostileServerOptions {
  /** Further fields that stay unchanged. */
  kept?: readonly string[];
  /** The status of an error with hostile fields, which answers every request. Default: no error. */
  status?: number;
}

const server = useServer();
const knownWords: Record<string, string> = {};
let domains = 0;
let key: string;

/** Commands that together print all texts of responses. */
const COMMANDS = [
  ['DIST', 'DIST --domain other', 'DIST --domain DOMAIN', 'DIST --no-delta', 'DIST --ttl 3d', 'DIST --dry-run'],
  [
    'deployments',
    'deployments get ID',
    'files ID',
    'deployments label ID v1.2',
    'deployments update ID --ttl 3d',
    'deployments delete ID',
    'open',
    'open ID',
  ],
  ['domains', ...['set', 'records', 'verify', 'share', 'delete'].map((verb) => `domains ${verb} DOMAIN`)],
  ['tokens', 'tokens create --label ci-job', 'tokens delete TOKEN', 'account', 'activities', 'whoami'],
].flat();

/** The commands whose output does not depend on the response. */
const PRINTS_NO_RESPONSE = new Set(['DIST --dry-run']);

/** The ways to tamper with responses. With fewer hostile fields, commands print more before they fail. */
const TAMPERING_SERVERS: readonly HostileServerOptions[] = [
  {},
  { kept: ['status'] },
  { kept: ['status', 'deployment', 'domain', 'url', 'created', 'via'] },
];

beforeAll(async () => {
  ({ key } = await server().account('scale'));
});

/** Creates the data that the commands use. */
async function prepareSites(): Promise<void> {
  const client = createClient({ server: `http://localhost:${server().port}`, key });
  const files = [{ path: 'index.html', content: 'hi' }];
  for await (const event of deployFiles({ client, files, labels: ['one'] }))
    if (event.type === 'committed') knownWords['ID'] = event.deployment.deployment;
  knownWords['DOMAIN'] = `w${(domains += 1)}.waiting-for-dns.com`;
  await client.api.domains.put.mutate({ domain: knownWords['DOMAIN'], labels: ['one'] });
  const { token } = await client.api.tokens.create.mutate({ kind: 'deploy' });
  knownWords['TOKEN'] = token;
}

/** Runs a command against a server. */
async function runAt(url: string, words: string, opened: string[] = []): Promise<Outcome> {
  const { runInProcess, home } = createUser(
    { BERTH_SERVER: url, BERTH_KEY: key },
    { openPage: async (page) => void opened.push(page) },
  );
  knownWords['DIST'] = writeFiles(join(home, 'dist'), { 'index.html': 'hi', _redirects: 'nonsense\n' });
  return runInProcess(...words.split(' ').map((word) => knownWords[word] ?? word));
}

it.each(COMMANDS)('berth %s escapes control characters in the texts of a hostile server', async (words) => {
  let shown = '';
  for (const tampering of TAMPERING_SERVERS) {
    const url = await startHostileServer(server().port, tampering);
    const openedUrls: string[] = [];
    await prepareSites();
    const plainOutcome = await runAt(url, words, openedUrls);
    await prepareSites();
    const asJson = await runAt(url, `${words} --json`);
    for (const { out, err } of [plainOutcome, asJson]) {
      expect(out).not.toMatch(CONTROL);
      expect(err).not.toMatch(CONTROL);
      shown += out + err;
    }
    expect(() => JSON.parse(asJson.out || asJson.err)).not.toThrow();
    for (const page of openedUrls) expect(page).toMatch(/^http:\/\/[!-~]+$/);
  }
  if (!PRINTS_NO_RESPONSE.has(words)) expect(shown).toContain('\\u001b');
});

/** The commands to which a server can send an error. */
const ANSWERED = COMMANDS.filter((words) => !PRINTS_NO_RESPONSE.has(words));

it.each([400, 401, 403, 404, 413, 422, 429, 500].map((status, i) => [status, i] as const))(
  'berth escapes control characters in the texts of an error with status %i',
  async (status, i) => {
    const url = await startHostileServer(server().port, { status });
    // Each command gets one of the statuses, and two of them get all.
    for (const words of new Set(['DIST', 'deployments get ID', ...ANSWERED.filter((_, n) => n % 8 === i)])) {
      const { out, err } = await runAt(url, words);
      expect(out + err).not.toMatch(CONTROL);
      const asJson = await runAt(url, `${words} --json`);
      expect(asJson.err).not.toMatch(CONTROL);
      expect(JSON.parse(asJson.err).error.status).toBe(status);
    }
  },
);

it.each([
  ['watch', ['watch', 'dist', '--label', 'one']],
  ['activities --follow', ['activities', '--follow', '--limit', 'all']],
])('berth %s escapes control characters in the texts of a hostile server', async (_, words) => {
  for (const more of [[], ['--json']]) {
    const url = await startHostileServer(server().port, { kept: ['status'] });
    const { startProgram, home } = createUser({ BERTH_SERVER: url, BERTH_KEY: key });
    writeFiles(home, { 'dist/index.html': 'hi' });
    const child = startProgram(...words, ...more);
    const commandOutcome = outcomeOf(child);
    for (let printed = ''; !printed.includes('\\u001b');) printed += String((await once(child.stdout, 'data'))[0]);
    child.kill('SIGINT');
    const { out, err } = await commandOutcome;
    expect(out).not.toMatch(CONTROL);
    expect(err).not.toMatch(CONTROL);
  }
});

it('berth login escapes control characters in the texts of a hostile server', async () => {
  const url = await startHostileServer(server().port);
  const { runProgramWithInput } = createUser({ BERTH_SERVER: url });
  const { code, out, err } = await runProgramWithInput(`${key}\n`, 'login');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/\\u001b/);
  expect(out).not.toMatch(CONTROL);
});

/** Starts a server that forwards requests to a port, and adds {@link HOSTILE} to each text of the responses and events. */
function startHostileServer(port: number, { kept = [], status }: HostileServerOptions = {}): Promise<string> {
  const isKept = (field: string) => UNCHANGED_FIELDS.has(field) || kept.includes(field);
  return startAnswering((req, res) => {
    const answered = status === undefined ? forwardTampered(port, req, res, isKept) : refuseRequest(status, req, res);
    answered.catch(() => res.destroy());
  });
}

/** Returns a value with {@link HOSTILE} added to each text. Addresses stay valid. */
function withHostileTexts(value: unknown, isKept: (field: string) => boolean): unknown {
  if (typeof value === 'string') return value.startsWith('http') ? `${value}/${HOSTILE}` : value + HOSTILE;
  if (Array.isArray(value)) return value.map((inner) => withHostileTexts(inner, isKept));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [field, isKept(field) ? inner : withHostileTexts(inner, isKept)]),
  );
}

async function forwardTampered(
  port: number,
  req: IncomingMessage,
  res: ServerResponse,
  isKept: (field: string) => boolean,
): Promise<void> {
  const { method = 'GET', url = '', headers } = req;
  const { host: _, connection: __, 'transfer-encoding': ___, ...sent } = headers as Record<string, string>;
  const body = method === 'GET' ? null : await buffer(req);
  const response = await fetch(`http://localhost:${port}${url}`, { method, headers: sent, body });
  const type = response.headers.get('content-type') ?? '';
  res.writeHead(response.status, { 'Content-Type': type });
  if (!type.startsWith('text/event-stream'))
    return void res.end(JSON.stringify(withHostileTexts(await response.json(), isKept)));
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream()))
    res.write(
      chunk.replace(
        /^data: ([{[].+)$/gm,
        (_, data: string) => `data: ${JSON.stringify(withHostileTexts(JSON.parse(data), isKept))}`,
      ),
    );
}

async function refuseRequest(status: number, req: IncomingMessage, res: ServerResponse): Promise<void> {
  await buffer(req);
  const error = Object.entries(ERROR_STATUS).find(([, value]) => value === status)?.[0];
  const details = { file: HOSTILE, cap: HOSTILE, issues: [{ path: HOSTILE, message: HOSTILE }] };
  const body = { error, message: HOSTILE, status, details };
  const isCall = req.url?.startsWith('/trpc') === true;
  res.writeHead(status, { 'Content-Type': 'application/json', 'Retry-After': '3600' });
  res.end(JSON.stringify(isCall ? { error: { message: HOSTILE, code: -32600, data: body } } : body));
}
