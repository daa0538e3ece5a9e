import { insertDomain, switchDomain } from '@berth/testing/domains';
import { open, rawRequest } from '@berth/testing/raw-socket';
import type { HttpResponse, RequestOptions } from '@berth/testing/requests';
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

/** Fixed time of the server; `null` while the clock runs. */
let fixedTime: number | null = null;
const server = useServer({
  env: { TRUST_PROXY: '127.0.0.1', RATE_LIMITS: 'unlock=10/10min' },
  parts: () => ({ now: () => new Date(fixedTime ?? Date.now()) }),
  clean: { secrets: [PASSWORD] },
});
let siteId: string;
beforeAll(async () => {
  siteId = await publishProtected();
  await insertDomain(server(), 'guarded.localhost', { kind: 'platform', deployment: siteId });
});

const publishProtected = async (password = PASSWORD) =>
  (await server().publish(FILES, { fields: { password } })).deployment;

let usedAddresses = 0;
const unusedAddress = () => `198.18.${Math.floor((usedAddresses += 1) / 250)}.${(usedAddresses % 250) + 1}`;

interface UnlockInput extends RequestOptions {
  /** The entered password. Default: the correct password. */
  password?: string;
  next?: string;
  /** The address of the visitor. Default: an unused address. */
  from?: string;
}

const submitForm = (
  host: string,
  { password = PASSWORD, next, from = unusedAddress(), headers, ...options }: UnlockInput = {},
) =>
  enterPassword(server(), host, next === undefined ? { password } : { password, next }, {
    ...options,
    headers: { 'X-Forwarded-For': from, ...headers },
  });
/** Enters the correct password. @returns The cookie. */
const unlock = async (host: string) => cookieOf(await submitForm(host));
const visit = (host: string, path = '/', cookie?: string, headers: Record<string, string> = {}) =>
  server().visit(host, path, { headers: { ...headers, ...(cookie === undefined ? {} : { Cookie: cookie }) } });

/** Returns the problem that the unlock page shows. */
const problemOf = ({ text }: HttpResponse) => /role="alert">([^<]*)</.exec(text)?.[1];

/** Checks that a response is the unlock page, which reveals neither bytes of the site nor facts about them. */
function expectLocked(response: HttpResponse, label: string): void {
  expect([label, response.status, response.text.includes(MARKER)]).toEqual([label, 401, false]);
  for (const name of ['etag', 'last-modified', 'accept-ranges', 'content-range', 'location', 'set-cookie'])
    expect(response.headers, label).not.toHaveProperty(name);
}

/** Stops the clock of the server; `setElapsed` sets the time since the stop. */
async function withStoppedClock(work: (setElapsed: (ms: number) => void) => Promise<void>): Promise<void> {
  const start = Date.now();
  const setElapsed = (ms: number) => void (fixedTime = start + ms);
  setElapsed(0);
  try {
    await work(setElapsed);
  } finally {
    fixedTime = null;
  }
}

describe('S61: the correct password', () => {
  it('redirects with a cookie for 7 days, for this host only', async () => {
    const response = await submitForm(siteId, { next: '/docs/?x=1' });
    expect([response.status, response.text, response.headers['location']]).toEqual([303, '', '/docs/?x=1']);
    expect(response.headers).toMatchObject({
      'cache-control': 'private, no-store',
      vary: 'Cookie',
      'x-robots-tag': 'noindex',
      'x-content-type-options': 'nosniff',
    });
    expect(response.headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^berth-unlock=v1\.[\w-]{8}\.[\w-]+\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=604800$/,
      ),
    ]);
  });

  it('S63: opens every page without caching, even for conditional requests', async () => {
    const cookie = await unlock(siteId);
    const page = await visit(siteId, '/', cookie);
    expect([page.status, page.text]).toEqual([200, FILES['index.html']]);
    const cases: [string, Record<string, string>, number, string][] = [
      ['/', {}, 200, 'Cookie, Accept-Encoding'],
      ['/app.4f3a9b21.js', {}, 200, 'Cookie, Accept-Encoding'],
      ['/', { 'If-None-Match': String(page.headers['etag']) }, 304, 'Cookie, Accept-Encoding'],
      ['/', { 'If-Match': '"other"' }, 412, 'Cookie'],
      ['/docs', {}, 307, 'Cookie'],
      ['/nothing', {}, 404, 'Cookie'],
    ];
    for (const [path, headers, status, vary] of cases) {
      const response = await visit(siteId, path, cookie, headers);
      expect([path, response.status, response.headers['vary']]).toEqual([path, status, vary]);
      expect(response.headers, path).toMatchObject({ 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' });
      expect(response.headers, path).not.toHaveProperty('clear-site-data');
    }
    for (const method of ['OPTIONS', 'DELETE']) {
      const { headers } = await server().visit(siteId, '/', { method, headers: { Cookie: cookie } });
      expect(headers, method).toMatchObject({
        allow: 'GET, HEAD, OPTIONS',
        'cache-control': 'private, no-store',
        vary: 'Cookie',
      });
    }
  });

  it('redirects a visitor who opens the form again to the site', async () => {
    const response = await visit(siteId, '/.berth/unlock', await unlock(siteId));
    expect([response.status, response.headers['location']]).toEqual([303, '/']);
  });

  it('S4: opens the site at its domain, in any spelling of the host', async () => {
    const host = 'http://guarded.localhost';
    expectLocked(await visit(host), 'before');
    const cookie = await unlock(host);
    for (const spelling of [host, 'http://GUARDED.localhost', `${host}.:80`, `${host}:${server().port}`])
      expect((await visit(spelling, '/', cookie)).text, spelling).toBe(FILES['index.html']);
  });
});

describe('S62, T16: the unlock cookie', () => {
  it('is invalid on another site or host, and when it is changed, repeated or renamed', async () => {
    const cookie = await unlock(siteId);
    for (const cookieHeader of [
      `${cookie}x`,
      `${cookie}; ${cookie}`,
      `berth-unlock=x; ${cookie}`,
      `${cookie}; a=b; berth-unlock=`,
      `__Host-${cookie}`,
      cookie.replace('berth', 'Berth'),
      `x=${cookie}`,
      `berth-unlock=${encodeURIComponent(PASSWORD)}`,
    ])
      expectLocked(await visit(siteId, '/', cookieHeader), cookieHeader);
    for (const cookieHeader of [cookie, `a=b; ${cookie}; c`, `xberth-unlock=1;${cookie}`])
      expect((await visit(siteId, '/', cookieHeader)).status, cookieHeader).toBe(200);
    expectLocked(await visit('http://guarded.localhost', '/', cookie), 'at the domain of the same site');
    expectLocked(await visit(await publishProtected(), '/', cookie), 'at another site with the same password');
  });

  it('is invalid after 7 days', async () => {
    await withStoppedClock(async (setElapsed) => {
      const cookie = await unlock(siteId);
      setElapsed(7 * DAY_MS - 1);
      expect((await visit(siteId, '/', cookie)).status).toBe(200);
      setElapsed(7 * DAY_MS);
      expectLocked(await visit(siteId, '/', cookie), 'later');
    });
  });

  it('is invalid after a change of the password', async () => {
    const [changedSite, otherSite] = [await publishProtected(), await publishProtected('another password')];
    const cookie = await unlock(changedSite);
    expect((await visit(changedSite, '/', cookie)).status).toBe(200);
    await server().database.query(
      `update deployment set password_hash = (select password_hash from deployment where id = $2) where id = $1`,
      [changedSite, otherSite],
    );
    expectLocked(await visit(changedSite, '/', cookie), 'after the change');
    expect((await submitForm(changedSite)).status).toBe(401);
    expect((await submitForm(changedSite, { password: 'another password' })).status).toBe(303);
  });

  it('T15: is invalid after a switch of the domain to another deployment', async () => {
    const host = 'http://moving.localhost';
    const [changedSite, otherSite] = [await publishProtected(), await publishProtected()];
    await insertDomain(server(), 'moving.localhost', { deployment: changedSite });
    const cookie = await unlock(host);
    expect((await visit(host, '/', cookie)).status).toBe(200);
    await switchDomain(server(), 'moving.localhost', otherSite);
    expectLocked(await visit(host, '/', cookie), 'after the switch');
    await switchDomain(server(), 'moving.localhost', changedSite);
    expect((await visit(host, '/', cookie)).status).toBe(200);
  });
});

it('T16, api §7: an address has 10 tries in 10 minutes for a site; then it must wait, but other addresses and sites are not affected', async () => {
  const protectedSite = await publishProtected();
  await withStoppedClock(async (setElapsed) => {
    const visitorAddress = '2001:db8:1:2::77';
    for (let n = 0; n < 10; n += 1)
      expect((await submitForm(protectedSite, { password: 'wrong', from: visitorAddress })).status).toBe(401);
    for (const address of [visitorAddress, '2001:db8:1:2:ffff::1']) {
      const refusedUnlock = await submitForm(protectedSite, { from: address, next: '/docs/' });
      expect([refusedUnlock.status, refusedUnlock.headers['retry-after']]).toEqual([429, '60']);
      expect(problemOf(refusedUnlock)).toBe('Too many attempts. You can try again in 1 minute.');
      expect(refusedUnlock.text).toContain('name="next" value="/docs/"');
      expectLocked({ ...refusedUnlock, status: 401 }, 'refused');
    }
    expect((await submitForm(protectedSite, { from: '2001:db8:1:3::77' })).status).toBe(303);
    expect((await submitForm(siteId, { from: visitorAddress })).status).toBe(303);
    setElapsed(60_000);
    expect((await submitForm(protectedSite, { from: visitorAddress })).status).toBe(303);
  });
});

it('S59, T15: Clear-Site-Data is only sent with the unlock page of a document request without a cookie', async () => {
  const clearedData = (response: HttpResponse) => response.headers['clear-site-data'];
  const documentRequest = { 'Sec-Fetch-Dest': 'document' };
  expect(clearedData(await visit(siteId, '/', undefined, documentRequest))).toBe('"cache", "storage"');
  for (const cookie of ['berth-unlock=v1.of.long.ago', await unlock(siteId)])
    expect(clearedData(await visit(siteId, '/', cookie, documentRequest)), cookie).toBeUndefined();
  for (const password of [PASSWORD, 'wrong'])
    expect(clearedData(await submitForm(siteId, { password, headers: documentRequest })), password).toBeUndefined();
  for (const destination of ['image', 'script', 'iframe', 'empty', 'serviceworker'])
    expect(
      clearedData(await visit(siteId, '/', undefined, { 'Sec-Fetch-Dest': destination })),
      destination,
    ).toBeUndefined();
});

describe('S60, S61: the unlock form', () => {
  it('is sent again with 401 after a wrong password, with the same destination', async () => {
    const response = await submitForm(siteId, { password: 'not the password', next: '/docs/?a=<b>&c' });
    expectLocked(response, 'wrong');
    expect(problemOf(response)).toBe('The password is incorrect. Check it and enter it again.');
    expect(response.text).toContain('name="next" value="/docs/?a=&#60;b&#62;&#38;c"');
    expect(response.text).toContain('aria-describedby="problem" aria-invalid="true"');
    expect(response.text).not.toContain('not the password"');
    expect(response.headers).toMatchObject({
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
  ])('T33: redirects to the front page for the unsafe destination next=%j', (next) => {
    expect(safeNext(next)).toBe('/');
  });

  it.each(['/', '/docs/', '/docs/?a=b&c=%2F%2Fevil#x', '/%2f%2fevil.example', '/a//b', '/.berth/unlock'])(
    'redirects to the destination next=%j',
    (next) => {
      expect(safeNext(next)).toBe(next);
    },
  );

  it('T33: redirects to the front page if next is longer than 2,048 characters', () => {
    const longestPath = `/${'x'.repeat(2_047)}`;
    expect([safeNext(longestPath), safeNext(`${longestPath}x`)]).toEqual([longestPath, '/']);
  });

  it('T33: redirects with a Location header that contains no part of an unsafe destination', async () => {
    const { status, headers } = await submitForm(siteId, { next: '/docs/\r\nSet-Cookie: a=b' });
    expect([status, headers['location']]).toEqual([303, '/']);
    expect(headers['set-cookie']).toEqual([expect.stringMatching(/^berth-unlock=/)]);
  });

  it('S59: leads back to the requested address, but never to another host', async () => {
    for (const [path, next] of [
      ['/docs/?a=1&b="2"', '/docs/?a=1&#38;b=&#34;2&#34;'],
      ['//evil.example', '/'],
      ['/\\evil.example', '/'],
      ['/.berth/unlock?next=//evil.example', '/'],
      ['/"><script>alert(1)</script>', '/&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;'],
    ] as const)
      expect((await visit(siteId, path)).text, path).toContain(`name="next" value="${next}"`);
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
  ] as [Record<string, string>, number][])('T16: with the headers %j gets status %d', async (templates, status) => {
    const headers = Object.fromEntries(
      Object.entries(templates).map(([name, value]) => [name, value.replace('SITE', `${siteId}.localhost`)]),
    );
    const response = await submitForm(siteId, { headers, next: '/docs/' });
    expect(response.status).toBe(status);
    if (status === 403) {
      expect(problemOf(response)).toBe('The password was sent from a page of another site. Enter it here instead.');
      expect(response.headers).not.toHaveProperty('set-cookie');
      expect(response.headers['cache-control']).toBe('private, no-store');
    }
  });

  const validForm = `password=${encodeURIComponent(PASSWORD)}`;
  it.each([
    ['without a body', 400, {}, ''],
    ['without a password', 400, {}, 'next=/'],
    ['with the password twice', 400, {}, `${validForm}&${validForm}`],
    ['with the destination twice', 400, {}, `${validForm}&next=/&next=/`],
    ['with six parameters', 400, {}, `${validForm}&a&b&c&d&e`],
    ['with five parameters', 303, {}, `${validForm}&a&b&c&d`],
    ['as JSON', 400, { 'Content-Type': 'application/json' }, JSON.stringify({ password: PASSWORD })],
    ['with another media type', 400, { 'Content-Type': 'application/x-www-form-urlencoded-too' }, validForm],
    ['with a charset', 303, { 'Content-Type': 'Application/X-WWW-Form-Urlencoded; charset=utf-8' }, validForm],
    ['as a compressed body', 400, { 'Content-Encoding': 'gzip' }, validForm],
    ['of 8 KiB', 303, {}, `${validForm}&x=`.padEnd(8_192, 'x')],
    ['of 8 KiB and one byte', 413, {}, `${validForm}&x=`.padEnd(8_193, 'x')],
    ['of 300,000 bytes', 413, {}, `${validForm}&x=`.padEnd(300_000, 'x')],
    [
      'with the longest password, each character escaped',
      401,
      {},
      `password=${encodeURIComponent('\u{1f600}'.repeat(128))}&next=${encodeURIComponent(`/${'é'.repeat(600)}`)}`,
    ],
    ['with invalid escapes', 401, {}, 'password=%E0%A4%A&next=%'],
  ] as [string, number, Record<string, string>, string][])(
    'sent %s gets the status %d',
    async (_, status, headers, body) => {
      const response = await submitForm(siteId, { body, headers });
      expect(response.status).toBe(status);
      expect(response.text).not.toContain(MARKER);
      if (status !== 303) expect(response.headers).not.toHaveProperty('set-cookie');
    },
  );

  it.each([
    [8_192, 303],
    [8_193, 413],
  ])('security §4: of unknown length, with %d bytes, gets the status %d', async (length, status) => {
    const head = [
      `Host: ${siteId}.localhost`,
      'Content-Type: application/x-www-form-urlencoded',
      'Transfer-Encoding: chunked',
    ];
    const pieces = [`${validForm}&x=`.padEnd(4_096, 'x'), 'x'.repeat(length - 4_096), ''];
    const body = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('');
    expect((await rawRequest(server().port, 'POST /.berth/unlock HTTP/1.1', head, body)).status).toBe(status);
  });

  it('F11: causes no fault when the client leaves in the middle', async () => {
    const { socket, received } = await open(server().port);
    socket.write(
      `POST /.berth/unlock HTTP/1.1\r\nHost: ${siteId}.localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\npassword=x`,
    );
    await submitForm(siteId);
    socket.destroy();
    expect(await received).toBe('');
    const abortedUnlock = () =>
      server().logged.filter(({ fields }) => fields['path'] === '/.berth/unlock' && fields['aborted']);
    await expect.poll(abortedUnlock).toHaveLength(1);
  });

  it('accepts the password only in the body of the form', async () => {
    for (const [path, body] of [
      [`/.berth/unlock?${validForm}`, 'x=1'],
      ['/', validForm],
      ['/docs/', validForm],
    ] as const) {
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const response = await server().visit(siteId, path, { method: 'POST', body, headers });
      expect([400, 401], path).toContain(response.status);
      expect(response.headers).not.toHaveProperty('set-cookie');
    }
    for (const method of ['PUT', 'GET', 'PATCH'])
      expect((await submitForm(siteId, { method })).status, method).toBe(401);
  });
});
