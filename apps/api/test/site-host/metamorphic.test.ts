import { compressDeployments, createCompressor } from '@berth/core/jobs';
import { createRandom } from '@berth/testing/random';
import { useServer } from '@berth/testing/use-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Connection, openConnection, type ReceivedResponse } from './oracle/connection.ts';
import { cookieOf, enterPassword } from './unlocking.ts';

const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const CONNECTIONS = 6;
/** For each site, every odd header is added to this number of requests. */
const REQUESTS_PER_HEADER = 4;
const PASSWORD = 'one password for all';
/** A text in every file of the sites. */
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

/** A request to every site, with the expected status of a site that is not locked. */
interface BaseRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  status: number;
}

const getRequest = (path: string, status: number, headers: Record<string, string> = {}): BaseRequest => ({
  method: 'GET',
  path,
  headers,
  status,
});
const FRONT_PAGE = getRequest('/', 200);
const SCRIPT = getRequest('/app.4f3a9b21.js', 200, { 'Accept-Encoding': 'br, gzip' });
const REQUESTS: BaseRequest[] = [
  FRONT_PAGE,
  SCRIPT,
  getRequest('/app.4f3a9b21.js', 200),
  getRequest('/about', 200),
  getRequest('/large.bin', 200),
  getRequest('/photo.png', 206, { Range: 'bytes=0-3' }),
  getRequest('/', 200, { 'If-None-Match': '"0123456789abcdef0123456789abcdef"' }),
  getRequest('/docs', 307),
  getRequest('/docs/nothing', 404),
  getRequest('/nothing', 404),
  getRequest('/old?a=b', 301),
  getRequest('/app/route', 200),
  getRequest('/app/route', 404, { Accept: 'image/png' }),
  { ...getRequest('/about', 200), method: 'HEAD' },
  { ...getRequest('/about', 204), method: 'OPTIONS' },
  { ...getRequest('/about', 405), method: 'DELETE' },
];

const headersWith = (value: string, ...names: string[]) => names.map((name): [string, string] => [name, value]);

/** Headers that must not change a response, although other servers obey them or browsers send them. */
const oddHeaders = (otherHost: string): [string, string][] => [
  ...headersWith(
    otherHost,
    'X-Forwarded-Host',
    'X-Forwarded-Server',
    'X-Host',
    'X-Original-Host',
    'X-HTTP-Host-Override',
  ),
  ...headersWith('127.0.0.1', 'X-Forwarded-For', 'X-Real-IP', 'True-Client-IP'),
  ...headersWith('/docs/', 'X-Original-URL', 'X-Rewrite-URL'),
  ...headersWith('/.secret', 'X-Forwarded-Prefix', 'X-Accel-Redirect'),
  ...headersWith('DELETE', 'X-HTTP-Method-Override', 'X-Method-Override', 'Access-Control-Request-Method'),
  ...headersWith('Basic eDp5', 'Authorization', 'Proxy-Authorization'),
  ...headersWith('1', 'DNT', 'Sec-GPC', 'Upgrade-Insecure-Requests', 'Early-Data'),
  ...headersWith('0', 'Max-Forwards', 'Content-Length'),
  ...headersWith('no-cache', 'Cache-Control', 'Pragma'),
  ...headersWith('Sat, 01 Jan 2000 00:00:00 GMT', 'If-Modified-Since', 'If-Unmodified-Since'),
  ['Forwarded', `for=127.0.0.1;host=${otherHost};proto=https`],
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
  ['Referer', `http://${otherHost}/`],
  ['User-Agent', 'Googlebot/2.1'],
  ['Accept-Language', 'fr-FR, fr;q=0.9'],
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

/** A site with its files, under one of its hosts, for one visitor. */
interface SiteView {
  host: string;
  /** The cookie of a visitor who has opened the site. */
  cookie?: string;
  isLocked: boolean;
}

const server = useServer({ clean: { secrets: [PASSWORD] } });
let siteViews: SiteView[];
let deployments: { publicSite: string; protectedSite: string };
let connections: Connection[];

beforeAll(async () => {
  connections = Array.from({ length: CONNECTIONS }, () => openConnection(server().port));
  const hostOf = (label: string) => `${label}.localhost:${server().port}`;
  const publicSite = (await server().publish(FILES)).deployment;
  const anonymousSite = (await server().publish(FILES, { key: null })).deployment;
  const protectedSite = (await server().publish(FILES, { fields: { password: PASSWORD } })).deployment;
  deployments = { publicSite, protectedSite };
  const compressor = createCompressor();
  await compressDeployments(server().berth.core, compressor);
  compressor.close();
  await linkDomain('open', publicSite);
  await linkDomain('guarded', protectedSite);
  const unlockedView = async (label: string): Promise<SiteView> => {
    const cookie = cookieOf(await enterPassword(server(), label, { password: PASSWORD }));
    return { host: hostOf(label), cookie, isLocked: false };
  };
  siteViews = [
    ...[publicSite, anonymousSite, 'open'].map((label) => ({ host: hostOf(label), isLocked: false })),
    ...[protectedSite, 'guarded'].map((label) => ({ host: hostOf(label), isLocked: true })),
    await unlockedView(protectedSite),
    await unlockedView('guarded'),
  ];
});
afterAll(() => connections.forEach((connection) => connection.close()));

describe(`one set of files in public and in protected sites, seed ${SEED}`, () => {
  it('gets the same responses with any odd header, in any order on any connection (S57, S63)', async () => {
    const cases = siteViews.flatMap((view) => REQUESTS.map((request) => ({ view, request })));
    const expectedResponses = await Promise.all(cases.map(({ view, request }, index) => sendAs(view, request, index)));
    for (const [index, { view, request }] of cases.entries()) expectOwn(expectedResponses[index]!, view, request);

    const random = createRandom(SEED);
    const variedCases = siteViews.flatMap((view, at) =>
      oddHeadersFor(view).flatMap((odd) =>
        shuffle([...REQUESTS.keys()], random)
          .slice(0, REQUESTS_PER_HEADER)
          .map((number) => ({ base: at * REQUESTS.length + number, odd })),
      ),
    );
    const shuffledCases = shuffle(variedCases, random);
    await Promise.all(
      connections.map(async (_, connection) => {
        for (let position = connection; position < shuffledCases.length; position += CONNECTIONS) {
          const { base, odd } = shuffledCases[position]!;
          const { view, request } = cases[base]!;
          const response = await sendAs(view, request, connection, odd);
          expect(asText(response), `${request.method} ${view.host}${request.path} with ${odd.join(': ')}`).toEqual(
            asText(expectedResponses[base]!),
          );
        }
      }),
    );
  });

  it('has one ETag, but protected sites are not cached like public sites (S44, S53, S63)', async () => {
    const responses = await Promise.all(
      siteViews.filter(({ isLocked }) => !isLocked).map((view) => sendAs(view, SCRIPT, 0)),
    );
    expect(new Set(responses.map(({ headers }) => headers['etag'])).size).toBe(1);
    expect(responses.map(({ headers }) => headers['content-encoding'])).toEqual(Array(5).fill('br'));
    expect(responses.map(({ headers }) => headers['cache-control'])).toEqual([
      'public, max-age=31536000, immutable',
      'public, max-age=31536000, immutable',
      'public, max-age=0, must-revalidate',
      'private, no-store',
      'private, no-store',
    ]);
  });

  it('is locked or open on all connections once the domain was switched (S2, S62)', async () => {
    const host = `guarded.localhost:${server().port}`;
    const [, , , , , , unlockedViewpoint] = siteViews;
    for (let turn = 0; turn < 20; turn += 1) {
      const isOpen = turn % 2 === 0;
      await linkDomain('guarded', isOpen ? deployments.publicSite : deployments.protectedSite);
      const responses = await Promise.all(
        connections.flatMap((_, connection) => [
          sendAs({ host, isLocked: !isOpen }, FRONT_PAGE, connection),
          sendAs(unlockedViewpoint!, FRONT_PAGE, connection),
        ]),
      );
      for (const [index, { status, body, headers }] of responses.entries()) {
        const isShown = isOpen || index % 2 === 1;
        expect([turn, index, status, body.includes(MARKER)]).toEqual([turn, index, isShown ? 200 : 401, isShown]);
        expect(headers['cache-control']).toBe(isOpen ? 'public, max-age=0, must-revalidate' : 'private, no-store');
      }
    }
  });
});

async function linkDomain(label: string, deployment: string): Promise<void> {
  const response = await server().api(`/domains/${label}.localhost`, { method: 'PUT', json: { deployment } });
  expect([200, 201]).toContain(response.status);
}

/** Sends a request as a visitor, optionally with an odd header. */
async function sendAs(
  { host, cookie }: SiteView,
  { method, path, headers }: BaseRequest,
  index: number,
  odd?: [string, string],
) {
  const fields: Record<string, string> = { ...headers, ...(cookie === undefined ? {} : { Cookie: cookie }) };
  if (odd) {
    const [name, value] = odd;
    fields[name] = name === 'Cookie' && cookie !== undefined ? `${cookie}; ${value}` : value;
  }
  const response = await connections[index % CONNECTIONS]!.send(method, host, path, fields);
  return { ...response, names: Object.keys(response.headers) };
}

/** Returns a response that is compared quickly: Vitest compares buffers byte by byte. */
const asText = ({ body, ...rest }: ReceivedResponse) => ({ ...rest, body: body.toString('latin1') });

/** Checks that a response follows the rules of its own site, and not those of another site with the same files. */
function expectOwn(
  response: ReceivedResponse,
  { host, cookie, isLocked }: SiteView,
  { method, path, status }: BaseRequest,
): void {
  const label = `${method} ${host}${path}`;
  const { 'cache-control': caching, vary = '', etag } = response.headers;
  expect(response.status, label).toBe(isLocked ? 401 : status);
  const isProtected = isLocked || cookie !== undefined;
  expect([caching === 'private, no-store', vary.includes('Cookie')], label).toEqual([isProtected, isProtected]);
  if (isLocked) expect([response.body.includes(MARKER), etag], label).toEqual([false, undefined]);
}

function oddHeadersFor({ host, cookie, isLocked }: SiteView): [string, string][] {
  const otherView = siteViews.find((view) => view.host !== host)!;
  const otherUnlocked = siteViews.find((view) => view.cookie !== undefined && view.host !== host)!;
  const addedHeaders = oddHeaders(otherView.host);
  // A visitor with two unlock cookies would be locked out (S62), so only other visitors get one.
  if (cookie === undefined) addedHeaders.push(['Cookie', otherUnlocked.cookie!]);
  // A locked site responds differently to a document request, because it clears the storage of the browser (S59).
  if (!isLocked) addedHeaders.push(['Sec-Fetch-Dest', 'document']);
  return addedHeaders;
}

function shuffle<T>(values: readonly T[], random: () => number): T[] {
  return values
    .map((value) => ({ value, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ value }) => value);
}
