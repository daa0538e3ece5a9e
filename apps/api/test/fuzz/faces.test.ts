import { appRouter } from '@berth/core';
import { closeClean } from '@berth/testing/expectations';
import type { Answer, Ask } from '@berth/testing/requests';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Operation, operationsOf } from '../../src/api-host/operations.ts';
import { type Actor, ACTORS, anonymise, RESOURCES, resolve, startTwins, type Twin } from './twins.ts';

/** How many inputs each procedure gets. */
const RUNS = Number(process.env['RUNS'] ?? 20);

let twins: readonly [Twin, Twin];
beforeAll(async () => void (twins = await startTwins()));
afterAll(async () => {
  for (const { server } of twins) await closeClean(server);
});

const BODY_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);
/** Operations that use up resources come last. */
const OPERATIONS = operationsOf(appRouter).toSorted((a, b) => rank(a) - rank(b));
function rank({ name, type }: Operation): number {
  return name.endsWith('.delete') ? 2 : type === 'mutation' ? 1 : 0;
}

/** Texts with a special meaning somewhere between a URL or a body and the database. */
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
const text = fc.oneof(
  fc.constantFrom(...ODD_TEXTS),
  fc.constantFrom(...RESOURCES),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }).filter((one) => one.isWellFormed()),
);
/** Any JSON, including JSON that is nested deeper than a body may be, and lone surrogates. */
const { json } = fc.letrec<{ json: unknown; leaf: unknown }>((tie) => ({
  leaf: fc.oneof(
    text,
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
/** Values that are often valid for a field, by its name. Every new field needs a row. */
const FIELDS: Record<string, fc.Arbitrary<unknown>> = {
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
  labels: fc.array(label, { maxLength: 12 }),
  ttl: fc.oneof(fc.constantFrom(1, 60, 31_536_000, 31_536_001, 0, '60', 1.5), fc.integer()),
  kind: fc.constantFrom('deploy', 'api', 'API', 'owner'),
  limit: fc.constantFrom(1, 2, 50, 100, 101, 0, -1, 1.5, 'ten'),
  cursor: fc.constantFrom('$cursor', '$cursor', 'abc', '$cursorA'),
  upload: fc.constantFrom('$upload', '$upload', '$UPLOAD', '0'.repeat(32), 'x'),
  base: fc.constantFrom('$site', '$site', '$theirs', 'calm-otter-zzzzzzz'),
  files: uploadFiles,
  put: uploadFiles,
  remove: fc.array(fc.constantFrom('index.html', 'gone.html', '../x', ''), { maxLength: 2 }),
  password: fc.constantFrom(null, 'open sesame', 'short', ' '.repeat(9), 'ü'.repeat(128), 'x'.repeat(129)),
  via: fc.constantFrom('cli', 'CLI', 'not a tag', ''),
};

/** A valid value for each field that a call requires. */
const RIGHT: Record<string, unknown> = {
  deployment: '$site',
  domain: '$domain',
  token: '$token',
  claim: '$claim',
  labels: ['one', 'two'],
  upload: '$upload',
  files: [{ path: 'index.html', size: 4, sha256: '0'.repeat(64) }],
};

/** Names that no input has, but that careless code may trip over. */
const STRANGERS = ['__proto__', 'constructor', 'toString', 'account', 'plan', 'ünïcode', 'x'.repeat(100)];

/** An input as text, since JSON can have a member called `__proto__`, which objects cannot. */
interface Input {
  actor: Actor;
  path: Record<string, string>;
  fields: [name: string, value: unknown][];
  /** Sent in place of an object; `undefined` sends the object. */
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
  const inPath = [...openapi.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const inBody = BODY_METHODS.has(openapi.method);
  const others = fieldNames(operation).filter((name) => !inPath.includes(name));
  /** A query contains only texts; a text with the form of an integer is read as a number. */
  const inQuery = (value: fc.Arbitrary<unknown>) =>
    value.filter((one) => typeof one === 'number' || (typeof one === 'string' && !/^-?\d+$/.test(one)));
  const hostile = inBody ? json : inQuery(text);
  const usual = (name: string) => (inBody ? FIELDS[name]! : inQuery(FIELDS[name]!));
  const field = (name: string) =>
    fc.oneof(
      { weight: 5, arbitrary: usual(name).map((value): Input['fields'] => [[name, value]]) },
      { weight: 2, arbitrary: hostile.map((value): Input['fields'] => [[name, value]]) },
      { weight: 2, arbitrary: fc.constant<Input['fields']>([]) },
    );
  const strangers = fc.array(fc.tuple(fc.constantFrom(...STRANGERS), hostile), { maxLength: 2 });
  return fc.record({
    actor: fc.oneof(
      { weight: 9, arbitrary: fc.constant<Actor>('api') },
      { weight: 1, arbitrary: fc.constantFrom(...ACTORS) },
    ),
    path: fc.record(
      Object.fromEntries(
        inPath.map((name) => [
          name,
          // A segment of a path is never empty.
          fc.oneof(
            { weight: 3, arbitrary: FIELDS[name] as fc.Arbitrary<string> },
            text.filter((one) => one !== ''),
          ),
        ]),
      ),
    ),
    fields: fc
      .tuple(fc.tuple(...others.map(field)), fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, strangers))
      .map(([known, unknown]) => [...known.flat(), ...unknown]),
    instead:
      inBody && inPath.length === 0
        ? fc.oneof({ weight: 15, arbitrary: fc.constant(undefined) }, json.filter(isNoObject))
        : fc.constant(undefined),
  });
}

/** An input that must succeed. */
function rightInput(operation: Operation): Input {
  const names = fieldNames(operation).filter((name) => name in RIGHT);
  const isInPath = (name: string) => operation.openapi.path.includes(`{${name}}`);
  return {
    actor: 'api',
    path: Object.fromEntries(names.filter(isInPath).map((name) => [name, String(RIGHT[name])])),
    fields: names.filter((name) => !isInPath(name)).map((name) => [name, RIGHT[name]]),
    instead: undefined,
  };
}

function isNoObject(value: unknown): boolean {
  return typeof value !== 'object' || value === null || Array.isArray(value);
}

/** `$SITE` is `$site` in capitals. */
function write(value: string, twin: Twin): string {
  return resolve(
    value.replace(/\$[A-Z]+/g, (name) => resolve(name.toLowerCase(), twin).toUpperCase()),
    twin,
  );
}

function jsonOf(members: readonly (readonly [string, unknown])[]): string {
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`;
}

function askRest({ openapi }: Operation, { actor, path, fields, instead }: Input, twin: Twin): Promise<Answer> {
  const { method } = openapi;
  const address = openapi.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(write(path[name]!, twin)));
  if (!BODY_METHODS.has(method)) {
    const query = new URLSearchParams(
      fields.map(([name, value]): [string, string] => [name, write(String(value), twin)]),
    );
    return twin.ask(fields.length > 0 ? `${address}?${query}` : address, actor, { method });
  }
  const body = instead === undefined ? jsonOf(fields) : JSON.stringify(instead);
  return twin.ask(address, actor, { method, headers: { 'Content-Type': 'application/json' }, body: write(body, twin) });
}

function askTyped({ name, type }: Operation, { actor, path, fields, instead }: Input, twin: Twin): Promise<Answer> {
  const input = write(
    instead === undefined ? jsonOf([...fields, ...Object.entries(path)]) : JSON.stringify(instead),
    twin,
  );
  const ask: Ask =
    type === 'query' ? {} : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: input };
  return twin.ask(`/trpc/${name}${type === 'query' ? `?input=${encodeURIComponent(input)}` : ''}`, actor, ask);
}

/** The outcome of a call, without random ids and without the wrapping of REST or tRPC. */
interface Outcome {
  /** The status of an error; REST and tRPC report success in different ways. */
  status: number | 'success';
  error?: unknown;
  details?: unknown;
  message?: unknown;
  body?: unknown;
}

function refusal({ error, details, message }: Record<string, unknown>, status: number): Outcome {
  return { status, error, details, message };
}

function readRest(answer: Answer, { status, creates }: Operation, twin: Twin): Outcome {
  const body = JSON.parse(anonymise(answer.text, twin)) as Record<string, unknown>;
  if ('error' in body) return refusal(body, answer.status);
  expect(creates ? [status, 201] : [status]).toContain(answer.status);
  return { status: 'success', body };
}

function readTyped(answer: Answer, twin: Twin): Outcome {
  const body = JSON.parse(anonymise(answer.text, twin)) as {
    error?: { data: Record<string, unknown> };
    result?: { data: unknown };
  };
  if (body.error) return refusal(body.error.data, answer.status);
  expect(answer.status).toBe(200);
  return { status: 'success', body: body.result!.data };
}

/**
 * The part of an outcome that REST and tRPC have in common. A body that is not an object has no field to name. REST
 * checks permission before it reads the body; tRPC checks first that the body is not nested too deeply.
 */
function alike(outcome: Outcome, rest: Outcome, { actor, instead }: Input): Outcome {
  const compared = actor !== 'api' && outcome.message === TOO_DEEP ? rest : outcome;
  return instead === undefined ? compared : { status: compared.status, error: compared.error };
}
const TOO_DEEP = 'The body must be nested at most 8 levels deep.';

describe(`api §9: REST and tRPC accept and refuse the same inputs, ${RUNS} each`, () => {
  it('every field of an input has a row of values', () => {
    expect([...new Set(OPERATIONS.flatMap(fieldNames))].toSorted()).toEqual(Object.keys(FIELDS).toSorted());
  });

  it.each(OPERATIONS.map((operation) => [operation.name, operation] as const))('%s', async (_, operation) => {
    const [rest, typed] = twins;
    const list = operation.openapi.path.split('/')[1]!;
    const seen = new Set<string>();
    const usesUp = operation.type === 'mutation';
    const replenish = async () => {
      for (const twin of twins)
        await twin.replenish(['domains', 'tokens', 'activities'].includes(list) ? list : 'deployments');
    };
    await replenish();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(inputOf(operation), async (input) => {
        run += 1;
        if (usesUp && run % 5 === 0) await replenish();
        for (const twin of twins) twin.tick();
        const [restAnswer, typedAnswer] = await Promise.all([
          askRest(operation, input, rest),
          askTyped(operation, input, typed),
        ]);
        const outcome = readRest(restAnswer, operation, rest);
        expect(outcome.status).not.toBe(500);
        expect(alike(readTyped(typedAnswer, typed), outcome, input)).toEqual(alike(outcome, outcome, input));
        seen.add(String(outcome.status));
      }),
      { numRuns: RUNS, examples: [[rightInput(operation)]] },
    );
    expect([...seen]).toContain('success');
  });

  it('and have the same effects', async () => {
    for (const list of ['deployments', 'domains', 'tokens', 'activities', 'labels', 'account']) {
      const [rest, typed] = await Promise.all(twins.map((twin) => readAll(list, twin)));
      expect(rest!.length).toBeGreaterThan(0);
      expect(rest).toEqual(typed);
    }
  });
});

/** All pages of a list. Skips deployments that are being deleted, because their clean-up may end at any time. */
async function readAll(list: string, twin: Twin): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (let path: string | null = `/${list}?limit=100`; path !== null;) {
    const answer = await twin.ask(path, 'api');
    const { nextCursor } = answer.json<{ nextCursor?: string }>();
    const page = JSON.parse(anonymise(answer.text, twin)) as Record<string, { status?: string }[]>;
    const listed = page[list];
    rows.push(...(Array.isArray(listed) ? listed.filter(({ status }) => status !== 'deleting') : [page]));
    path = nextCursor === undefined ? null : `/${list}?limit=100&cursor=${nextCursor}`;
  }
  return rows;
}
