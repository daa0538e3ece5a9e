import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import type { Operation } from '../../src/api-host/operations.ts';
import { type Actor, ACTORS, RESOURCES } from './twins.ts';

/** The methods whose requests have a body. Others have a query. */
export const BODY_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

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
export const FIELD_VALUES: Record<string, fc.Arbitrary<unknown>> = {
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

/**
 * Values with an effect that depends on random ids, and therefore differs between the servers: `$token` is a valid name of an event
 * unless it has a digit, and a short search finds some deployments by their ids.
 */
function dependsOnRandomId(name: string, value: unknown): boolean {
  if (name === 'event') return value === '$token';
  if (name !== 'search' || typeof value !== 'string') return false;
  const text = value.trim();
  return /^[a-z\d-]{1,3}$/i.test(domainToASCII(text) || text);
}

/** Names of fields that no input has, and that careless code may confuse with something else. */
const UNKNOWN_FIELDS = ['__proto__', 'constructor', 'toString', 'account', 'plan', 'ünïcode', 'x'.repeat(100)];

/** An input as a list of fields, because a JavaScript object cannot have every name, such as `__proto__`. */
export interface Input {
  actor: Actor;
  path: Record<string, string>;
  fields: [name: string, value: unknown][];
  /** A JSON value that is sent instead of an object. With `undefined`, the object is sent. */
  instead: unknown;
}

/** The names of all fields of an operation, in its path and elsewhere. */
export function fieldNames({ inputs }: Operation): string[] {
  return inputs.flatMap((input) => {
    const schema = 'unwrap' in input ? (input.unwrap as () => typeof input)() : input;
    return Object.keys((schema as unknown as { shape: object }).shape);
  });
}

/** Random inputs of an operation, some of them valid. */
export function inputOf(operation: Operation): fc.Arbitrary<Input> {
  const { openapi } = operation;
  const pathNames = [...openapi.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const hasBody = BODY_METHODS.has(openapi.method);
  const nonPathNames = fieldNames(operation).filter((name) => !pathNames.includes(name));
  /** Restricts values to those a query can express: numbers, and texts that do not look like an integer. */
  const queryValues = (value: fc.Arbitrary<unknown>) =>
    value.filter((item) => typeof item === 'number' || (typeof item === 'string' && !/^-?\d+$/.test(item)));
  const hostileValue = hasBody ? json : queryValues(oddText);
  const hostileValueOf = (name: string) => hostileValue.filter((value) => !dependsOnRandomId(name, value));
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

/** An input that succeeds. */
export function validInput(operation: Operation): Input {
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
