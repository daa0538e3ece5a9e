import { appRouter } from '@berth/core';
import { closeClean } from '@berth/testing/expectations';
import type { HttpResponse, RequestOptions } from '@berth/testing/requests';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Operation, operationsOf } from '../../src/api-host/operations.ts';
import { type Actor, ACTORS, anonymise, resolveIds, RESOURCES, startTwins, type TwinServer } from './twins.ts';

/** The number of random inputs for each procedure. */
const RUNS = Number(process.env['RUNS'] ?? 10);

let twinServers: readonly [TwinServer, TwinServer];
beforeAll(async () => void (twinServers = await startTwins()));
afterAll(async () => {
  for (const { server } of twinServers) await closeClean(server);
});

const BODY_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);
/**
 * All operations but the deletion of the account, whose success would end the credential of all later inputs. Those that use up
 * resources come last.
 */
const OPERATIONS = operationsOf(appRouter)
  .filter(({ name }) => name !== 'account.delete')
  .toSorted((a, b) => rankOf(a) - rankOf(b));
function rankOf({ name, type }: Operation): number {
  return name.endsWith('.delete') ? 2 : type === 'mutation' ? 1 : 0;
}

/** Texts with a special meaning for a URL, a body or the database. */
const ODD_TEXTS = [
  '',
  ' ',
  'null',
  'undefined',
  '0',
  '-1',
  '007',
  '1e3',
  '__proto__',
  'constructor',
  '..',
  '.',
  '/',
  '//',
  '%',
  '%2f',
  '%00',
  '\u0000',
  '\r\n',
  '?limit=1',
  '#',
  '+',
  'a&b=c',
  ';',
  "'; drop table account; --",
  '${7*7}',
  '<script>',
  '\ufeff',
  '\u202e',
  'é',
  'e\u0301',
  'ß',
  'İ',
  '\u{1f600}',
  '１２',
  'validate',
  'A'.repeat(301),
  'x'.repeat(1_500),
];
const oddText = fc.oneof(
  fc.constantFrom(...ODD_TEXTS),
  fc.constantFrom(...RESOURCES),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }).filter((value) => value.isWellFormed()),
);
/** Random JSON, sometimes nested deeper than a body may be, and sometimes with lone surrogates. */
const { json } = fc.letrec<{ json: unknown; leaf: unknown }>((tie) => ({
  leaf: fc.oneof(
    oddText,
    fc.constantFrom(null, true, false, 0, -0, 1.5, 1e300, Number.MAX_SAFE_INTEGER, '\ud800', 'x'.repeat(5_000)),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  ),
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', '__proto__', 'length', '0', 'labels'), tie('json'), { maxKeys: 3 }),
    fc.integer({ min: 5, max: 200 }).map((depth) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as unknown),
  ),
}));

const label = fc.constantFrom('one', 'two', 'us-east-1', 'v1.2.3', 'ab', 'No', 'a'.repeat(25), 'a'.repeat(26));
const uploadFile = fc.record({
  path: fc.constantFrom('index.html', 'a/b.css', 'a', '.env', 'x.exe', '../x', 'é.txt'),
  size: fc.constantFrom(4, 4, 0, 3_000_000_000, -1, 1.5),
  sha256: fc.constantFrom('0'.repeat(64), 'a'.repeat(64), 'A'.repeat(64), ''),
});
const uploadFiles = fc.array(uploadFile, { maxLength: 3 });
/** Random values for each field, most of them valid. A new field needs an entry. */
const FIELD_VALUES: Record<string, fc.Arbitrary<unknown>> = {
  deployment: fc.constantFrom(
    '$site',
    '$site',
    '$SITE',
    '$site.localhost',
    '$site.localhost:80',
    '$theirs',
    'calm-otter-zzzzzzz',
  ),
  domain: fc.constantFrom(
    '$domain',
    '$domain',
    '$domain',
    '$domain.',
    '$platform',
    'www.bücher.de',
    'WWW.Shop.DEV',
    'shop.localhost',
    'api.localhost',
    'co.uk',
    '192.0.2.1',
    'x',
  ),
  token: fc.constantFrom('$token', '$token', 'zzzzzzz', '$TOKEN'),
  claim: fc.constantFrom(
    '$claim',
    '$claim',
    '0123456789abcdef0123456789abcdef',
    'http://localhost/claim/$claim',
    ' $claim',
  ),
  domains: fc.array(fc.constantFrom('$domain', '$platform', 'www.bücher.de', 'x', 'co.uk'), { maxLength: 3 }),
  keep: fc.constantFrom(1, 10, 1_000, 1_001, 0, '1', 1.5),
  label,
  labels: fc.array(label, { maxLength: 12 }),
  open: fc.constantFrom(true, false, 'true', 1),
  ttl: fc.oneof(fc.constantFrom(1, 60, 31_536_000, 31_536_001, 0, '60', 1.5), fc.integer()),
  kind: fc.constantFrom('deploy', 'api', 'API', 'owner'),
  event: fc.constantFrom('deployment.create', 'domain.create', 'unknown', ''),
  authMethod: fc.constantFrom('api-key', 'session', 'Session', ''),
  limit: fc.constantFrom(1, 2, 50, 100, 101, 0, -1, 1.5, 'ten'),
  cursor: fc.constantFrom('$cursor', '$cursor', 'abc', '$cursorA'),
  upload: fc.constantFrom('$upload', '$upload', '$UPLOAD', '0'.repeat(32), 'x'),
  base: fc.constantFrom('$site', '$site', '$theirs', 'calm-otter-zzzzzzz'),
  from: fc.constantFrom('$site', '$site', '$SITE', '$theirs', 'calm-otter-zzzzzzz'),
  site: fc.constantFrom('$site', '$domain', '$DOMAIN.', '$platform', '$theirs', 'calm-otter-zzzzzzz', 'x'),
  search: fc.constantFrom('home', 'MADE', '%', 'a'.repeat(200), 'a'.repeat(300), ''),
  name: fc.constantFrom(null, 'Harbour', 'Ü', '', ' ', 'x'.repeat(100), 'x'.repeat(300)),
  email: fc.constantFrom('jo@example.com', 'JO@example.com', 'jo', '', 'jo@localhost'),
  role: fc.constantFrom('member', 'member', 'owner', 'MEMBER'),
  invite: fc.constantFrom('$invite', '$invite', '$INVITE', 'inv-zzzzzzz', 'x'),
  member: fc.constantFrom('$member', '$member', '$MEMBER', 'mem-999999', 'mem-0', 'jo@example.com', 'x'),
  files: uploadFiles,
  put: uploadFiles,
  remove: fc.array(fc.constantFrom('index.html', 'gone.html', '../x', ''), { maxLength: 2 }),
  password: fc.constantFrom(null, 'open sesame', 'short', ' '.repeat(9), 'ü'.repeat(128), 'x'.repeat(129)),
  via: fc.constantFrom('cli', 'CLI', 'not a tag', ''),
};

const VALID_VALUES: Record<string, unknown> = {
  deployment: '$site',
  domain: '$domain',
  token: '$token',
  claim: '$claim',
  labels: ['one', 'two'],
  upload: '$upload',
  from: '$site',
  site: '$site',
  name: 'Harbour',
  invite: '$invite',
  member: '$member',
  files: [{ path: 'index.html', size: 4, sha256: '0'.repeat(64) }],
};

/** Names of fields that no input has, and that careless code may confuse with something else. */
const UNKNOWN_FIELDS = ['__proto__', 'constructor', 'toString', 'account', 'plan', 'ünïcode', 'x'.repeat(100)];

/** An input as a list of fields, because a JavaScript object cannot have every name, such as `__proto__`. */
interface Input {
  actor: Actor;
  path: Record<string, string>;
  fields: [name: string, value: unknown][];
  /** A JSON value that is sent instead of an object. With `undefined`, the object is sent. */
  instead: unknown;
}

function fieldNames({ inputs }: Operation): string[] {
  return inputs.flatMap((input) => {
    const schema = 'unwrap' in input ? (input.unwrap as () => typeof input)() : input;
    return Object.keys((schema as unknown as { shape: object }).shape);
  });
}

function inputOf(operation: Operation): fc.Arbitrary<Input> {
  const { openapi } = operation;
  const pathNames = [...openapi.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const hasBody = BODY_METHODS.has(openapi.method);
  const nonPathNames = fieldNames(operation).filter((name) => !pathNames.includes(name));
  /** Restricts values to those a query can express: numbers, and texts that do not look like an integer. */
  const queryValues = (value: fc.Arbitrary<unknown>) =>
    value.filter((item) => typeof item === 'number' || (typeof item === 'string' && !/^-?\d+$/.test(item)));
  const hostileValue = hasBody ? json : queryValues(oddText);
  /** Excludes `$token` from events: a random id is the name of an event on one server and, with a digit in it, not on the other. */
  const hostileValueOf = (name: string) =>
    name === 'event' ? hostileValue.filter((value) => value !== '$token') : hostileValue;
  const usualValue = (name: string) => (hasBody ? FIELD_VALUES[name]! : queryValues(FIELD_VALUES[name]!));
  const field = (name: string) =>
    fc.oneof(
      { weight: 5, arbitrary: usualValue(name).map((value): Input['fields'] => [[name, value]]) },
      { weight: 2, arbitrary: hostileValueOf(name).map((value): Input['fields'] => [[name, value]]) },
      { weight: 2, arbitrary: fc.constant<Input['fields']>([]) },
    );
  const unknownFields = fc.array(fc.tuple(fc.constantFrom(...UNKNOWN_FIELDS), hostileValue), { maxLength: 2 });
  return fc.record({
    actor: fc.oneof(
      { weight: 9, arbitrary: fc.constant<Actor>('api') },
      { weight: 1, arbitrary: fc.constantFrom(...ACTORS) },
    ),
    path: fc.record(
      Object.fromEntries(
        pathNames.map((name) => [
          name,
          // A segment of a path is never empty.
          fc.oneof(
            { weight: 3, arbitrary: FIELD_VALUES[name] as fc.Arbitrary<string> },
            oddText.filter((value) => value !== ''),
          ),
        ]),
      ),
    ),
    fields: fc
      .tuple(fc.tuple(...nonPathNames.map(field)), fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, unknownFields))
      .map(([known, unknown]) => [...known.flat(), ...unknown]),
    instead:
      hasBody && pathNames.length === 0
        ? fc.oneof({ weight: 15, arbitrary: fc.constant(undefined) }, json.filter(isNotObject))
        : fc.constant(undefined),
  });
}

function validInput(operation: Operation): Input {
  const names = fieldNames(operation).filter((name) => name in VALID_VALUES);
  const isInPath = (name: string) => operation.openapi.path.includes(`{${name}}`);
  return {
    actor: 'api',
    path: Object.fromEntries(names.filter(isInPath).map((name) => [name, String(VALID_VALUES[name])])),
    fields: names.filter((name) => !isInPath(name)).map((name) => [name, VALID_VALUES[name]]),
    instead: undefined,
  };
}

function isNotObject(value: unknown): boolean {
  return typeof value !== 'object' || value === null || Array.isArray(value);
}

/** Fills in the placeholders of a text. `$SITE` is the value of `$site` in capitals. */
function fillIn(value: string, twin: TwinServer): string {
  return resolveIds(
    value.replace(/\$[A-Z]+/g, (name) => resolveIds(name.toLowerCase(), twin).toUpperCase()),
    twin,
  );
}

function jsonText(members: readonly (readonly [string, unknown])[]): string {
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`;
}

function sendRest({ openapi }: Operation, { actor, path, fields, instead }: Input, twin: TwinServer) {
  const { method } = openapi;
  const target = openapi.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(fillIn(path[name]!, twin)));
  if (!BODY_METHODS.has(method)) {
    const query = new URLSearchParams(
      fields.map(([name, value]): [string, string] => [name, fillIn(String(value), twin)]),
    );
    return twin.request(fields.length > 0 ? `${target}?${query}` : target, actor, { method });
  }
  const body = instead === undefined ? jsonText(fields) : JSON.stringify(instead);
  return twin.request(target, actor, {
    method,
    headers: { 'Content-Type': 'application/json' },
    body: fillIn(body, twin),
  });
}

function sendTrpc({ name, type }: Operation, { actor, path, fields, instead }: Input, twin: TwinServer) {
  const input = fillIn(
    instead === undefined ? jsonText([...fields, ...Object.entries(path)]) : JSON.stringify(instead),
    twin,
  );
  const options: RequestOptions =
    type === 'query' ? {} : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: input };
  return twin.request(`/trpc/${name}${type === 'query' ? `?input=${encodeURIComponent(input)}` : ''}`, actor, options);
}

/** The outcome of a call, without random ids and independent of REST and tRPC. */
interface Outcome {
  /** The status of an error. Success has no number, because REST and tRPC use different ones. */
  status: number | 'success';
  error?: unknown;
  details?: unknown;
  message?: unknown;
  body?: unknown;
}

function errorOutcome({ error, details, message }: Record<string, unknown>, status: number): Outcome {
  return { status, error, details, message };
}

function readRest(response: HttpResponse, { status, creates }: Operation, twin: TwinServer): Outcome {
  const body = JSON.parse(anonymise(response.text, twin)) as Record<string, unknown>;
  if ('error' in body) return errorOutcome(body, response.status);
  expect(creates ? [status, 201] : [status]).toContain(response.status);
  return { status: 'success', body };
}

function readTrpc(response: HttpResponse, twin: TwinServer): Outcome {
  const body = JSON.parse(anonymise(response.text, twin)) as {
    error?: { data: Record<string, unknown> };
    result?: { data: unknown };
  };
  if (body.error) return errorOutcome(body.error.data, response.status);
  expect(response.status).toBe(200);
  return { status: 'success', body: body.result!.data };
}

/** Reduces an outcome to what REST and tRPC have in common: they check permission and nesting in different order. */
function comparable(outcome: Outcome, rest: Outcome, { actor, instead }: Input): Outcome {
  const relevant = actor !== 'api' && outcome.message === TOO_DEEP_MESSAGE ? rest : outcome;
  return instead === undefined ? relevant : { status: relevant.status, error: relevant.error };
}
const TOO_DEEP_MESSAGE = 'The body must be nested at most 8 levels deep.';

describe(`api §9: REST and tRPC`, () => {
  it('are tested with values for every field of every input', () => {
    expect([...new Set(OPERATIONS.flatMap(fieldNames))].toSorted()).toEqual(Object.keys(FIELD_VALUES).toSorted());
  });

  it.each(OPERATIONS.map((operation) => [operation.name, operation] as const))(
    'accept and refuse the same random inputs of %s',
    async (_, operation) => {
      const [rest, trpc] = twinServers;
      const collection = operation.openapi.path.split('/')[1]!;
      const seenStatuses = new Set<string>();
      const usesResources = operation.type === 'mutation';
      const replenishTwins = async () => {
        for (const twinServer of twinServers)
          await twinServer.replenish(
            ['domains', 'tokens', 'activities', 'sites'].includes(collection) ? collection : 'deployments',
          );
      };
      await replenishTwins();
      let run = 0;
      await fc.assert(
        fc.asyncProperty(inputOf(operation), async (input) => {
          run += 1;
          if (usesResources && run % 5 === 0) await replenishTwins();
          for (const twinServer of twinServers) twinServer.tick();
          const [restResponse, trpcResponse] = await Promise.all([
            sendRest(operation, input, rest),
            sendTrpc(operation, input, trpc),
          ]);
          const outcome = readRest(restResponse, operation, rest);
          expect(outcome.status).not.toBe(500);
          expect(comparable(readTrpc(trpcResponse, trpc), outcome, input)).toEqual(comparable(outcome, outcome, input));
          seenStatuses.add(String(outcome.status));
        }),
        { numRuns: RUNS, examples: [[validInput(operation)]] },
      );
      expect([...seenStatuses]).toContain('success');
    },
  );

  it('have the same effects after all random inputs', async () => {
    for (const list of ['deployments', 'domains', 'tokens', 'activities', 'labels', 'account']) {
      const [rest, trpc] = await Promise.all(twinServers.map((twin) => readAll(list, twin)));
      expect(rest!.length).toBeGreaterThan(0);
      expect(rest).toEqual(trpc);
    }
  });
});

/** Reads all pages of a list, without deployments that a sweep may remove at any time. */
async function readAll(list: string, twin: TwinServer): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (let path: string | null = `/${list}?limit=100`; path !== null;) {
    const response = await twin.request(path, 'api');
    const { nextCursor } = response.json<{ nextCursor?: string }>();
    const page = JSON.parse(anonymise(response.text, twin)) as Record<string, { status?: string }[]>;
    const listedItems = page[list];
    rows.push(...(Array.isArray(listedItems) ? listedItems.filter(({ status }) => status !== 'deleting') : [page]));
    path = nextCursor === undefined ? null : `/${list}?limit=100&cursor=${nextCursor}`;
  }
  return rows;
}
