import { insertDomain, switchDomain } from '@berth/testing/domains';
import { ask as askRaw, open } from '@berth/testing/raw-socket';
import type { Answer, Ask } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';
import { safeNext } from '../../src/site-host/unlock-form.ts';
import { cookieOf, enterPassword } from './unlocking.ts';

const DAY_MS = 24 * 3600 * 1000;
const PASSWORD = 'Grüße & 100% = +x';
/** A text in every file of a protected site. */
const MARKER = 'MARKER-OF-PROTECTED-BYTES';
const FILES = {
  'index.html': `<p>${MARKER}</p>`,
  'docs/index.html': MARKER,
  'app.4f3a9b21.js': MARKER,
  '404.html': MARKER,
};

/** The time of the server while its clock is stopped. */
let heldTime: number | null = null;
const server = useServer({
  env: { TRUST_PROXY: '127.0.0.1', RATE_LIMITS: 'unlock=10/10min' },
  parts: () => ({ now: () => new Date(heldTime ?? Date.now()) }),
  clean: { secrets: [PASSWORD] },
});
let site: string;
beforeAll(async () => {
  site = await protect();
  await insertDomain(server(), 'guarded.localhost', { kind: 'platform', deployment: site });
});

/** Publishes a site that needs a password. */
const protect = async (password = PASSWORD) => (await server().publish(FILES, { fields: { password } })).deployment;

let addresses = 0;
const elsewhere = () => `198.18.${Math.floor((addresses += 1) / 250)}.${(addresses % 250) + 1}`;

interface Entered extends Ask {
  /** Default: the right one. */
  password?: string;
  next?: string;
  /** The visitor's address. Default: one that is not used yet. */
  from?: string;
}

/** Sends the form. */
const enter = (host: string, { password = PASSWORD, next, from = elsewhere(), headers, ...ask }: Entered = {}) =>
  enterPassword(server(), host, next === undefined ? { password } : { password, next }, {
    ...ask,
    headers: { 'X-Forwarded-For': from, ...headers },
  });
/** The cookie for the right password. */
const unlock = async (host: string) => cookieOf(await enter(host));
const visit = (host: string, path = '/', cookie?: string, headers: Record<string, string> = {}) =>
  server().visit(host, path, { headers: { ...headers, ...(cookie === undefined ? {} : { Cookie: cookie }) } });

/** The problem that the unlock page shows. */
const problemOf = ({ text }: Answer) => /role="alert">([^<]*)</.exec(text)?.[1];

/** Checks that an answer reveals neither bytes of the site nor anything about them. */
function expectLocked(answer: Answer, asked: string): void {
  expect([asked, answer.status, answer.text.includes(MARKER)]).toEqual([asked, 401, false]);
  for (const name of ['etag', 'last-modified', 'accept-ranges', 'content-range', 'location', 'set-cookie'])
    expect(answer.headers, asked).not.toHaveProperty(name);
}

/** Stops the clock of the server; `later` sets it to a time after its start. */
async function withHeldClock(work: (later: (ms: number) => void) => Promise<void>): Promise<void> {
  const start = Date.now();
  const later = (ms: number) => void (heldTime = start + ms);
  later(0);
  try {
    await work(later);
  } finally {
    heldTime = null;
  }
}

describe('S61: the right password', () => {
  it('redirects with a cookie for 7 days, for this host only', async () => {
    const answer = await enter(site, { next: '/docs/?x=1' });
    expect([answer.status, answer.text, answer.headers['location']]).toEqual([303, '', '/docs/?x=1']);
    expect(answer.headers).toMatchObject({
      'cache-control': 'private, no-store',
      vary: 'Cookie',
      'x-robots-tag': 'noindex',
      'x-content-type-options': 'nosniff',
    });
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^berth-unlock=v1\.[\w-]{8}\.[\w-]+\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=604800$/,
      ),
    ]);
  });

  it('S63: opens every page, uncached, for conditional requests as well', async () => {
    const cookie = await unlock(site);
    const page = await visit(site, '/', cookie);
    expect([page.status, page.text]).toEqual([200, FILES['index.html']]);
    const rows: [string, Record<string, string>, number, string][] = [
      ['/', {}, 200, 'Cookie, Accept-Encoding'],
      ['/app.4f3a9b21.js', {}, 200, 'Cookie, Accept-Encoding'],
      ['/', { 'If-None-Match': String(page.headers['etag']) }, 304, 'Cookie, Accept-Encoding'],
      ['/', { 'If-Match': '"other"' }, 412, 'Cookie'],
      ['/docs', {}, 307, 'Cookie'],
      ['/nothing', {}, 404, 'Cookie'],
    ];
    for (const [path, headers, status, vary] of rows) {
      const answer = await visit(site, path, cookie, headers);
      expect([path, answer.status, answer.headers['vary']]).toEqual([path, status, vary]);
      expect(answer.headers, path).toMatchObject({ 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' });
      expect(answer.headers, path).not.toHaveProperty('clear-site-data');
    }
    for (const method of ['OPTIONS', 'DELETE']) {
      const { headers } = await server().visit(site, '/', { method, headers: { Cookie: cookie } });
      expect(headers, method).toMatchObject({
        allow: 'GET, HEAD, OPTIONS',
        'cache-control': 'private, no-store',
        vary: 'Cookie',
      });
    }
  });

  it('sends a visitor who opens the form again to the site', async () => {
    const answer = await visit(site, '/.berth/unlock', await unlock(site));
    expect([answer.status, answer.headers['location']]).toEqual([303, '/']);
  });

  it('S4: opens the site at its domain, in any spelling of the host', async () => {
    const host = 'http://guarded.localhost';
    expectLocked(await visit(host), 'before');
    const cookie = await unlock(host);
    for (const spelling of [host, 'http://GUARDED.localhost', `${host}.:80`, `${host}:${server().port}`])
      expect((await visit(spelling, '/', cookie)).text, spelling).toBe(FILES['index.html']);
  });
});

describe('S62, T16: a cookie', () => {
  it('is invalid on another site or host, changed, repeated, or under another name', async () => {
    const cookie = await unlock(site);
    for (const sent of [
      `${cookie}x`,
      `${cookie}; ${cookie}`,
      `berth-unlock=x; ${cookie}`,
      `${cookie}; a=b; berth-unlock=`,
      `__Host-${cookie}`,
      cookie.replace('berth', 'Berth'),
      `x=${cookie}`,
      `berth-unlock=${encodeURIComponent(PASSWORD)}`,
    ])
      expectLocked(await visit(site, '/', sent), sent);
    for (const sent of [cookie, `a=b; ${cookie}; c`, `xberth-unlock=1;${cookie}`])
      expect((await visit(site, '/', sent)).status, sent).toBe(200);
    expectLocked(await visit('http://guarded.localhost', '/', cookie), 'at the domain of the same site');
    expectLocked(await visit(await protect(), '/', cookie), 'at another site with the same password');
  });

  it('ends after 7 days', async () => {
    await withHeldClock(async (later) => {
      const cookie = await unlock(site);
      later(7 * DAY_MS - 1);
      expect((await visit(site, '/', cookie)).status).toBe(200);
      later(7 * DAY_MS);
      expectLocked(await visit(site, '/', cookie), 'later');
    });
  });

  it('ends when the password changes', async () => {
    const [one, other] = [await protect(), await protect('another password')];
    const cookie = await unlock(one);
    expect((await visit(one, '/', cookie)).status).toBe(200);
    await server().database.query(
      `update deployment set password_hash = (select password_hash from deployment where id = $2) where id = $1`,
      [one, other],
    );
    expectLocked(await visit(one, '/', cookie), 'after the change');
    expect((await enter(one)).status).toBe(401);
    expect((await enter(one, { password: 'another password' })).status).toBe(303);
  });

  it('T15: ends with a switch of the domain to another deployment', async () => {
    const host = 'http://moving.localhost';
    const [one, other] = [await protect(), await protect()];
    await insertDomain(server(), 'moving.localhost', { deployment: one });
    const cookie = await unlock(host);
    expect((await visit(host, '/', cookie)).status).toBe(200);
    await switchDomain(server(), 'moving.localhost', other);
    expectLocked(await visit(host, '/', cookie), 'after the switch');
    await switchDomain(server(), 'moving.localhost', one);
    expect((await visit(host, '/', cookie)).status).toBe(200);
  });
});

it('T16, api §7: 10 tries in 10 minutes an address and site; then the right password works at once from elsewhere, and later from here', async () => {
  const protectedSite = await protect();
  await withHeldClock(async (later) => {
    const from = '2001:db8:1:2::77';
    for (let n = 0; n < 10; n += 1) expect((await enter(protectedSite, { password: 'wrong', from })).status).toBe(401);
    for (const address of [from, '2001:db8:1:2:ffff::1']) {
      const refused = await enter(protectedSite, { from: address, next: '/docs/' });
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60']);
      expect(problemOf(refused)).toBe('Too many attempts. You can try again in 1 minute.');
      expect(refused.text).toContain('name="next" value="/docs/"');
      expectLocked({ ...refused, status: 401 }, 'refused');
    }
    expect((await enter(protectedSite, { from: '2001:db8:1:3::77' })).status).toBe(303);
    expect((await enter(site, { from })).status).toBe(303);
    later(60_000);
    expect((await enter(protectedSite, { from })).status).toBe(303);
  });
});

it('S59, T15: Clear-Site-Data is only sent with a page that is opened without a cookie', async () => {
  const clears = (answer: Answer) => answer.headers['clear-site-data'];
  const opened = { 'Sec-Fetch-Dest': 'document' };
  expect(clears(await visit(site, '/', undefined, opened))).toBe('"cache", "storage"');
  for (const cookie of ['berth-unlock=v1.of.long.ago', await unlock(site)])
    expect(clears(await visit(site, '/', cookie, opened)), cookie).toBeUndefined();
  for (const password of [PASSWORD, 'wrong'])
    expect(clears(await enter(site, { password, headers: opened })), password).toBeUndefined();
  for (const destination of ['image', 'script', 'iframe', 'empty', 'serviceworker'])
    expect(clears(await visit(site, '/', undefined, { 'Sec-Fetch-Dest': destination })), destination).toBeUndefined();
});

describe('S60, S61: the unlock form', () => {
  it('is sent again with 401 after a wrong password, with the same destination', async () => {
    const answer = await enter(site, { password: 'not the password', next: '/docs/?a=<b>&c' });
    expectLocked(answer, 'wrong');
    expect(problemOf(answer)).toBe('The password is incorrect. Check it and enter it again.');
    expect(answer.text).toContain('name="next" value="/docs/?a=&#60;b&#62;&#38;c"');
    expect(answer.text).toContain('aria-describedby="problem" aria-invalid="true"');
    expect(answer.text).not.toContain('not the password"');
    expect(answer.headers).toMatchObject({
      'www-authenticate': 'Password realm="site"',
      'cache-control': 'private, no-store',
    });
  });

  it.each([
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    'evil.example',
    '',
    ' /docs/',
    '/\t/evil.example',
    '/\n/evil.example',
    '/docs/\r\nSet-Cookie: a=b',
    '/\u0000',
    '/é',
  ])('T33: redirects to the front page for next=%j', (next) => {
    expect(safeNext(next)).toBe('/');
  });

  it.each(['/', '/docs/', '/docs/?a=b&c=%2F%2Fevil#x', '/%2f%2fevil.example', '/a//b', '/.berth/unlock'])(
    'redirects to next=%j',
    (next) => {
      expect(safeNext(next)).toBe(next);
    },
  );

  it('T33: redirects to the front page if next is longer than 2,048 characters', () => {
    const longest = `/${'x'.repeat(2_047)}`;
    expect([safeNext(longest), safeNext(`${longest}x`)]).toEqual([longest, '/']);
  });

  it('T33: sends a Location header with the front page', async () => {
    const { status, headers } = await enter(site, { next: '/docs/\r\nSet-Cookie: a=b' });
    expect([status, headers['location']]).toEqual([303, '/']);
    expect(headers['set-cookie']).toEqual([expect.stringMatching(/^berth-unlock=/)]);
  });

  it('S59: leads back to the requested address, and nowhere else', async () => {
    for (const [path, next] of [
      ['/docs/?a=1&b="2"', '/docs/?a=1&#38;b=&#34;2&#34;'],
      ['//evil.example', '/'],
      ['/\\evil.example', '/'],
      ['/.berth/unlock?next=//evil.example', '/'],
      ['/"><script>alert(1)</script>', '/&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;'],
    ] as const)
      expect((await visit(site, path)).text, path).toContain(`name="next" value="${next}"`);
  });

  it.each([
    [{ 'Sec-Fetch-Site': 'same-origin' }, 303],
    [{ 'Sec-Fetch-Site': 'none' }, 303],
    [{ 'Sec-Fetch-Site': 'same-site' }, 403],
    [{ 'Sec-Fetch-Site': 'cross-site' }, 403],
    [{ 'Sec-Fetch-Site': 'cross-site', Origin: 'http://SITE' }, 403],
    [{ Origin: 'http://SITE' }, 303],
    [{ Origin: 'https://SITE' }, 303],
    [{ Origin: 'https://evil.example' }, 403],
    [{ Origin: 'http://guarded.localhost' }, 403],
    [{ Origin: 'http://localhost' }, 403],
    [{ Origin: 'http://SITE.evil.example' }, 403],
    [{ Origin: 'null' }, 403],
    [{ Origin: '' }, 403],
    [{}, 303],
  ] as [Record<string, string>, number][])('T16: when sent from %j is answered %d', async (given, status) => {
    const headers = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, value.replace('SITE', `${site}.localhost`)]),
    );
    const answer = await enter(site, { headers, next: '/docs/' });
    expect(answer.status).toBe(status);
    if (status === 403) {
      expect(problemOf(answer)).toBe('The password was sent from a page of another site. Enter it here instead.');
      expect(answer.headers).not.toHaveProperty('set-cookie');
      expect(answer.headers['cache-control']).toBe('private, no-store');
    }
  });

  const right = `password=${encodeURIComponent(PASSWORD)}`;
  it.each([
    ['no body', {}, '', 400],
    ['no password', {}, 'next=/', 400],
    ['the password twice', {}, `${right}&${right}`, 400],
    ['the destination twice', {}, `${right}&next=/&next=/`, 400],
    ['six parameters', {}, `${right}&a&b&c&d&e`, 400],
    ['five parameters', {}, `${right}&a&b&c&d`, 303],
    ['JSON', { 'Content-Type': 'application/json' }, JSON.stringify({ password: PASSWORD }), 400],
    ['another type', { 'Content-Type': 'application/x-www-form-urlencoded-too' }, right, 400],
    ['a type with a charset', { 'Content-Type': 'Application/X-WWW-Form-Urlencoded; charset=utf-8' }, right, 303],
    ['a compressed body', { 'Content-Encoding': 'gzip' }, right, 400],
    ['8 KiB', {}, `${right}&x=`.padEnd(8_192, 'x'), 303],
    ['one byte more', {}, `${right}&x=`.padEnd(8_193, 'x'), 413],
    ['much more', {}, `${right}&x=`.padEnd(300_000, 'x'), 413],
    [
      'the longest password there is, each character escaped',
      {},
      `password=${encodeURIComponent('\u{1f600}'.repeat(128))}&next=${encodeURIComponent(`/${'é'.repeat(600)}`)}`,
      401,
    ],
    ['invalid escapes', {}, 'password=%E0%A4%A&next=%', 401],
  ] as [string, Record<string, string>, string, number][])('%s', async (_, headers, body, status) => {
    const answer = await enter(site, { body, headers });
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain(MARKER);
    if (status !== 303) expect(answer.headers).not.toHaveProperty('set-cookie');
  });

  it.each([
    [8_192, 303],
    [8_193, 413],
  ])('security §4: of unknown length, with %d bytes, is answered %d', async (length, status) => {
    const head = [
      `Host: ${site}.localhost`,
      'Content-Type: application/x-www-form-urlencoded',
      'Transfer-Encoding: chunked',
    ];
    const pieces = [`${right}&x=`.padEnd(4_096, 'x'), 'x'.repeat(length - 4_096), ''];
    const body = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('');
    expect((await askRaw(server().port, 'POST /.berth/unlock HTTP/1.1', head, body)).status).toBe(status);
  });

  it('F11: causes no fault when the client leaves half-way', async () => {
    const { socket, received } = await open(server().port);
    socket.write(
      `POST /.berth/unlock HTTP/1.1\r\nHost: ${site}.localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\npassword=x`,
    );
    await enter(site);
    socket.destroy();
    expect(await received).toBe('');
    const aborted = () =>
      server().logged.filter(({ fields }) => fields['path'] === '/.berth/unlock' && fields['aborted']);
    await expect.poll(aborted).toHaveLength(1);
  });

  it('accepts the password only in the body of the form', async () => {
    for (const [path, body] of [
      [`/.berth/unlock?${right}`, 'x=1'],
      ['/', right],
      ['/docs/', right],
    ] as const) {
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const answer = await server().visit(site, path, { method: 'POST', body, headers });
      expect([400, 401], path).toContain(answer.status);
      expect(answer.headers).not.toHaveProperty('set-cookie');
    }
    for (const method of ['PUT', 'GET', 'PATCH']) expect((await enter(site, { method })).status, method).toBe(401);
  });
});
