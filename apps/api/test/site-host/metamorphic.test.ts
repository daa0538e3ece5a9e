import { compressDeployments, createCompressor } from '@berth/core/jobs';
import { createRandom } from '@berth/testing/random';
import { useServer } from '@berth/testing/use-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Connection, openConnection, type Received } from './oracle/connection.ts';
import { cookieOf, enterPassword } from './unlocking.ts';

const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const CONNECTIONS = 6;
/** How many requests each odd header is added to, for each site. */
const QUESTIONS_EACH = 4;
const PASSWORD = 'one password for all';
/** Every file contains this text. */
const MARKER = 'the bytes that all of these sites share';
const FILES = {
  'index.html': `<h1>${MARKER}</h1>${'x'.repeat(2_000)}`,
  'about.html': `about: ${MARKER}`,
  'app.4f3a9b21.js': `/* ${MARKER} */ ${'y'.repeat(2_000)}`,
  'photo.png': MARKER,
  'large.bin': MARKER.repeat(2_000),
  'docs/index.html': `docs: ${MARKER}`,
  'docs/404.html': `no such doc: ${MARKER}`,
  _redirects: '/old /about 301\n/app/* /index.html 200',
  _headers: '/about\n  X-Site: ours',
};

/** One request on a connection, and which name of which site it uses. */
interface Question {
  host: string;
  method: string;
  path: string;
  headers: Record<string, string>;
}

/** A request for every site, and its status where the site is not locked. */
type Asked = Omit<Question, 'host'> & { status: number };

const get = (path: string, status: number, headers: Record<string, string> = {}): Asked => ({
  method: 'GET',
  path,
  headers,
  status,
});
const FRONT_PAGE = get('/', 200);
const SCRIPT = get('/app.4f3a9b21.js', 200, { 'Accept-Encoding': 'br, gzip' });
const QUESTIONS: Asked[] = [
  FRONT_PAGE,
  SCRIPT,
  get('/app.4f3a9b21.js', 200),
  get('/about', 200),
  get('/large.bin', 200),
  get('/photo.png', 206, { Range: 'bytes=0-3' }),
  get('/', 200, { 'If-None-Match': '"0123456789abcdef0123456789abcdef"' }),
  get('/docs', 307),
  get('/docs/nothing', 404),
  get('/nothing', 404),
  get('/old?a=b', 301),
  get('/app/route', 200),
  get('/app/route', 404, { Accept: 'image/png' }),
  { ...get('/about', 200), method: 'HEAD' },
  { ...get('/about', 204), method: 'OPTIONS' },
  { ...get('/about', 405), method: 'DELETE' },
];

/** Several headers with the same value. */
const each = (value: string, ...names: string[]) => names.map((name): [string, string] => [name, value]);

/**
 * Headers that change no answer: those that make other servers choose another host, path, method, visitor or cached
 * answer, and those that browsers also send.
 */
const ODD = (other: string): [string, string][] => [
  ...each(other, 'X-Forwarded-Host', 'X-Forwarded-Server', 'X-Host', 'X-Original-Host', 'X-HTTP-Host-Override'),
  ...each('127.0.0.1', 'X-Forwarded-For', 'X-Real-IP', 'True-Client-IP'),
  ...each('/docs/', 'X-Original-URL', 'X-Rewrite-URL'),
  ...each('/.secret', 'X-Forwarded-Prefix', 'X-Accel-Redirect'),
  ...each('DELETE', 'X-HTTP-Method-Override', 'X-Method-Override', 'Access-Control-Request-Method'),
  ...each('Basic eDp5', 'Authorization', 'Proxy-Authorization'),
  ...each('1', 'DNT', 'Sec-GPC', 'Upgrade-Insecure-Requests', 'Early-Data'),
  ...each('0', 'Max-Forwards', 'Content-Length'),
  ...each('no-cache', 'Cache-Control', 'Pragma'),
  ...each('Sat, 01 Jan 2000 00:00:00 GMT', 'If-Modified-Since', 'If-Unmodified-Since'),
  ['Forwarded', `for=127.0.0.1;host=${other};proto=https`],
  ['X-Forwarded-Proto', 'https'],
  ['X-Forwarded-Scheme', 'nothttps'],
  ['X-Forwarded-Port', '443'],
  ['Via', '1.1 cache.example'],
  ['CDN-Loop', 'berth'],
  ['Authorization', 'Bearer ship-00000000000000000000000000000001'],
  ['Cookie', 'a=b; theme=dark'],
  ['Cookie', '__Host-berth-unlock=v1.x.y.z'],
  ['Cookie', '; =; ,,; \u00ff'],
  ['Origin', 'https://evil.example'],
  ['Origin', 'null'],
  ['Access-Control-Request-Headers', 'x-evil'],
  ['Referer', `http://${other}/`],
  ['User-Agent', 'Googlebot/2.1'],
  ['Accept-Language', 'de-DE, de;q=0.9'],
  ['Accept-Charset', 'iso-8859-1'],
  ['Save-Data', 'on'],
  ['Sec-Purpose', 'prefetch;prerender'],
  ['Sec-Fetch-Site', 'cross-site'],
  ['Sec-Fetch-Mode', 'no-cors'],
  ['Sec-Fetch-Dest', 'image'],
  ['Service-Worker', 'script'],
  ['Service-Worker-Navigation-Preload', 'true'],
  ['Cache-Control', 'only-if-cached, max-stale'],
  ['Upgrade', 'h2c'],
  ['TE', 'trailers, deflate'],
  ['Expect', '100-continue'],
  ['If-Modified-Since', 'Sat, 01 Jan 2050 00:00:00 GMT'],
  ['Connection', 'Host, Cookie, keep-alive'],
  ['Content-Type', 'application/x-www-form-urlencoded'],
  ['Want-Digest', 'sha-256'],
  ['A-IM', 'feed'],
  ['X-Request-Id', 'mine'],
  ['X-Middleware-Subrequest', 'middleware'],
];

/** A site with these files, under one of its names, for one visitor. */
interface Guise {
  host: string;
  /** The cookie of a visitor who has opened it. */
  cookie?: string;
  isLocked: boolean;
}

const server = useServer({ clean: { secrets: [PASSWORD] } });
let guises: Guise[];
let deployments: { open: string; guarded: string };
let connections: Connection[];

beforeAll(async () => {
  connections = Array.from({ length: CONNECTIONS }, () => openConnection(server().port));
  const at = (label: string) => `${label}.localhost:${server().port}`;
  const open = (await server().publish(FILES)).deployment;
  const anonymousSite = (await server().publish(FILES, { key: null })).deployment;
  const guarded = (await server().publish(FILES, { fields: { password: PASSWORD } })).deployment;
  deployments = { open, guarded };
  const compressor = createCompressor();
  await compressDeployments(server().berth.core, compressor);
  compressor.close();
  await link('open', open);
  await link('guarded', guarded);
  const unlocked = async (label: string): Promise<Guise> => {
    const cookie = cookieOf(await enterPassword(server(), label, { password: PASSWORD }));
    return { host: at(label), cookie, isLocked: false };
  };
  guises = [
    ...[open, anonymousSite, 'open'].map((label) => ({ host: at(label), isLocked: false })),
    ...[guarded, 'guarded'].map((label) => ({ host: at(label), isLocked: true })),
    await unlocked(guarded),
    await unlocked('guarded'),
  ];
});
afterAll(() => connections.forEach((connection) => connection.close()));

describe(`one content in public and in protected sites, seed ${SEED}`, () => {
  it('gets the same answer for any other headers of the request, in any order on any connection (S57, S63)', async () => {
    const bases = guises.flatMap((guise) =>
      QUESTIONS.map((asked) => ({
        guise,
        status: guise.isLocked ? 401 : asked.status,
        question: questionOf(guise, asked),
      })),
    );
    const expected = await Promise.all(bases.map(({ question }, index) => sendQuestion(question, index)));
    for (const [index, { guise, status, question }] of bases.entries())
      expectOwn(expected[index]!, { ...guise, status }, `${question.method} ${question.host}${question.path}`);

    const random = createRandom(SEED);
    const varied = guises.flatMap((guise, at) =>
      oddFor(guise).flatMap(([name, value]) =>
        shuffle([...QUESTIONS.keys()], random)
          .slice(0, QUESTIONS_EACH)
          .map((number) => ({ base: at * QUESTIONS.length + number, name, value })),
      ),
    );
    const shuffled = shuffle(varied, random);
    await Promise.all(
      connections.map(async (_, connection) => {
        for (let turn = connection; turn < shuffled.length; turn += CONNECTIONS) {
          const { base, name, value } = shuffled[turn]!;
          const { question } = bases[base]!;
          const answer = await sendQuestion(added(question, name, value), connection);
          const label = `${question.method} ${question.host}${question.path} with ${name}: ${value}`;
          expect(answer, label).toEqual(expected[base]);
        }
      }),
    );
  });

  it('has one ETag, and no caching in common with a protected site (S44, S53, S63)', async () => {
    const answers = await Promise.all(
      guises.filter(({ isLocked }) => !isLocked).map((guise) => sendQuestion(questionOf(guise, SCRIPT), 0)),
    );
    expect(new Set(answers.map(({ headers }) => headers['etag'])).size).toBe(1);
    expect(answers.map(({ headers }) => headers['content-encoding'])).toEqual(Array(5).fill('br'));
    expect(answers.map(({ headers }) => headers['cache-control'])).toEqual([
      'public, max-age=31536000, immutable',
      'public, max-age=31536000, immutable',
      'public, max-age=0, must-revalidate',
      'private, no-store',
      'private, no-store',
    ]);
  });

  it('is locked or open on all connections once its domain was switched (S2, S62)', async () => {
    const host = `guarded.localhost:${server().port}`;
    const [, , , , , , opened] = guises;
    for (let turn = 0; turn < 20; turn += 1) {
      const isOpen = turn % 2 === 0;
      await link('guarded', isOpen ? deployments.open : deployments.guarded);
      const answers = await Promise.all(
        connections.flatMap((_, connection) => [
          sendQuestion(questionOf({ host, isLocked: !isOpen }, FRONT_PAGE), connection),
          sendQuestion(questionOf(opened!, FRONT_PAGE), connection),
        ]),
      );
      for (const [index, { status, body, headers }] of answers.entries()) {
        const isShown = isOpen || index % 2 === 1;
        expect([turn, index, status, body.includes(MARKER)]).toEqual([turn, index, isShown ? 200 : 401, isShown]);
        expect(headers['cache-control']).toBe(isOpen ? 'public, max-age=0, must-revalidate' : 'private, no-store');
      }
    }
  });
});

/** Links a domain below the platform domain, as its owner does. */
async function link(label: string, deployment: string): Promise<void> {
  const answer = await server().api(`/domains/${label}.localhost`, { method: 'PUT', json: { deployment } });
  expect([200, 201]).toContain(answer.status);
}

function questionOf({ host, cookie }: Guise, { method, path, headers }: Asked): Question {
  return { host, method, path, headers: { ...headers, ...(cookie === undefined ? {} : { Cookie: cookie }) } };
}

/** Checks that a site answers by its own rules: nothing comes from another site with the same content. */
function expectOwn(answer: Received, { status, cookie, isLocked }: Guise & { status: number }, label: string): void {
  const { 'cache-control': caching, vary = '', etag } = answer.headers;
  expect(answer.status, label).toBe(status);
  const isProtected = isLocked || cookie !== undefined;
  expect([caching === 'private, no-store', vary.includes('Cookie')], label).toEqual([isProtected, isProtected]);
  if (isLocked) expect([answer.body.includes(MARKER), etag], label).toEqual([false, undefined]);
}

/** The odd headers for a site; they contain names and cookies of other sites. */
function oddFor({ host, cookie, isLocked }: Guise): [string, string][] {
  const other = guises.find((guise) => guise.host !== host)!;
  const strange = guises.find((guise) => guise.cookie !== undefined && guise.host !== host)!;
  const odd = ODD(other.host);
  // For a visitor who has opened a site, a second cookie with the same name locks it again (S62).
  if (cookie === undefined) odd.push(['Cookie', strange.cookie!]);
  // The first page that a visitor of a locked site opens clears what was stored (S59).
  if (!isLocked) odd.push(['Sec-Fetch-Dest', 'document']);
  return odd;
}

function added({ headers, ...question }: Question, name: string, value: string): Question {
  const both = name === 'Cookie' && headers['Cookie'] !== undefined ? `${headers['Cookie']}; ${value}` : value;
  return { ...question, headers: { ...headers, [name]: both } };
}

async function sendQuestion({ host, method, path, headers }: Question, index: number) {
  const answer = await connections[index % CONNECTIONS]!.ask(method, host, path, headers);
  return { ...answer, names: Object.keys(answer.headers) };
}

function shuffle<T>(values: readonly T[], random: () => number): T[] {
  return values
    .map((value) => ({ value, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ value }) => value);
}
