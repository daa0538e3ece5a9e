import { insertDomain, switchDomain } from '@berth/testing/domains';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectLocked, FILES, PASSWORD, problemOf, visitorsOf } from './unlocking.ts';

const DAY_MS = 24 * 3600 * 1000;

/** The time of the server while its clock is stopped. */
let heldTime: number | null = null;
const server = useServer({
  env: { TRUST_PROXY: '127.0.0.1', RATE_LIMITS: 'unlock=10/10min' },
  parts: () => ({ now: () => new Date(heldTime ?? Date.now()) }),
  clean: { secrets: [PASSWORD] },
});
let site: string;
let visitors: ReturnType<typeof visitorsOf>;
beforeAll(async () => {
  visitors = visitorsOf(server());
  site = await visitors.protect();
  await insertDomain(server(), 'guarded.localhost', { kind: 'platform', deployment: site });
});

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
    const answer = await visitors.enter(site, { next: '/docs/?x=1' });
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
    const cookie = await visitors.unlocked(site);
    const page = await visitors.visit(site, '/', cookie);
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
      const answer = await visitors.visit(site, path, cookie, headers);
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

  it('redirects a visitor who opens the form again', async () => {
    const answer = await visitors.visit(site, '/.berth/unlock', await visitors.unlocked(site));
    expect([answer.status, answer.headers['location']]).toEqual([303, '/']);
  });

  it('S4: opens the site at its domain, in any spelling of the host', async () => {
    const host = 'http://guarded.localhost';
    expectLocked(await visitors.visit(host, '/'), 'before');
    const cookie = await visitors.unlocked(host);
    for (const spelling of [host, 'http://GUARDED.localhost', `${host}.:80`, `${host}:${server().port}`])
      expect((await visitors.visit(spelling, '/', cookie)).text, spelling).toBe(FILES['index.html']);
  });
});

describe('S62, T16: a cookie', () => {
  it('is invalid on another site or host, changed, repeated, or under another name', async () => {
    const cookie = await visitors.unlocked(site);
    const value = cookie.slice('berth-unlock='.length);
    const [version, keyId, payload, mac] = value.split('.') as [string, string, string, string];
    const longer = Buffer.from(
      Buffer.from(payload, 'base64url')
        .toString()
        .replace(/\d{13}/, '9999999999999'),
    ).toString('base64url');
    for (const [asked, sent] of Object.entries({
      tampered: `berth-unlock=${version}.${keyId}.${longer}.${mac}`,
      'without a signature': `berth-unlock=${version}.${keyId}.${payload}.`,
      'of another version': `berth-unlock=v2.${keyId}.${payload}.${mac}`,
      quoted: `berth-unlock="${value}"`,
      twice: `${cookie}; ${cookie}`,
      'beside another': `berth-unlock=x; ${cookie}`,
      'before another': `${cookie}; a=b; berth-unlock=`,
      'of the name for https': `__Host-${cookie}`,
      'in other letters': `Berth-Unlock=${value}`,
      'inside another': `x=${cookie}`,
      'the password itself': `berth-unlock=${encodeURIComponent(PASSWORD)}`,
    }))
      expectLocked(await visitors.visit(site, '/', sent), asked);
    for (const sent of [cookie, `a=b; ${cookie}; c`, `xberth-unlock=1;${cookie}`])
      expect((await visitors.visit(site, '/', sent)).status, sent).toBe(200);
    expectLocked(await visitors.visit('http://guarded.localhost', '/', cookie), 'at the domain of the same site');
    expectLocked(await visitors.visit(await visitors.protect(), '/', cookie), 'at another site with the same password');
  });

  it('ends after 7 days', async () => {
    await withHeldClock(async (later) => {
      const cookie = await visitors.unlocked(site);
      later(7 * DAY_MS - 1);
      expect((await visitors.visit(site, '/', cookie)).status).toBe(200);
      later(7 * DAY_MS);
      expectLocked(await visitors.visit(site, '/', cookie), 'later');
    });
  });

  it('ends when the password changes', async () => {
    const [one, other] = [await visitors.protect(), await visitors.protect('another password')];
    const cookie = await visitors.unlocked(one);
    expect((await visitors.visit(one, '/', cookie)).status).toBe(200);
    await server().database.query(
      `update deployment set password_hash = (select password_hash from deployment where id = $2) where id = $1`,
      [one, other],
    );
    expectLocked(await visitors.visit(one, '/', cookie), 'after the change');
    expect((await visitors.enter(one)).status).toBe(401);
    expect((await visitors.enter(one, { password: 'another password' })).status).toBe(303);
  });

  it('T15: ends with a switch of the domain to another deployment', async () => {
    const [one, other] = [await visitors.protect(), await visitors.protect()];
    await insertDomain(server(), 'moving.localhost', { deployment: one });
    const cookie = await visitors.unlocked('http://moving.localhost');
    expect((await visitors.visit('http://moving.localhost', '/', cookie)).status).toBe(200);
    await switchDomain(server(), 'moving.localhost', other);
    expectLocked(await visitors.visit('http://moving.localhost', '/', cookie), 'after the switch');
    await switchDomain(server(), 'moving.localhost', one);
    expect((await visitors.visit('http://moving.localhost', '/', cookie)).status).toBe(200);
  });
});

describe('T16, api §7: tries', () => {
  it('are limited to 10 in 10 minutes an address and site; then the right password works at once from elsewhere, and later from here', async () => {
    const protectedSite = await visitors.protect();
    await withHeldClock(async (later) => {
      const from = '2001:db8:1:2::77';
      for (let n = 0; n < 10; n += 1)
        expect((await visitors.enter(protectedSite, { password: 'wrong', from })).status).toBe(401);
      for (const address of [from, '2001:db8:1:2:ffff::1']) {
        const refused = await visitors.enter(protectedSite, { from: address, next: '/docs/' });
        expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60']);
        expect(problemOf(refused)).toBe('Too many attempts. You can try again in 1 minute.');
        expect(refused.text).toContain('name="next" value="/docs/"');
        expectLocked({ ...refused, status: 401 }, 'refused');
      }
      expect((await visitors.enter(protectedSite, { from: '2001:db8:1:3::77' })).status).toBe(303);
      expect((await visitors.enter(site, { from })).status).toBe(303);
      later(60_000);
      expect((await visitors.enter(protectedSite, { from })).status).toBe(303);
    });
  });

  it('are limited to 100 in 10 minutes a site, wherever they come from', async () => {
    const guarded = await visitors.protect();
    await withHeldClock(async () => {
      const answers = await Promise.all(
        Array.from({ length: 105 }, () => visitors.enter(guarded, { password: 'wrong' })),
      );
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(100);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
      expect((await visitors.enter(guarded)).status).toBe(429);
      expect((await visitors.enter(site)).status).toBe(303);
    });
  });
});

describe('S59, T15: Clear-Site-Data', () => {
  it('is only sent with a page that is opened without a cookie', async () => {
    const opened = { 'Sec-Fetch-Dest': 'document' };
    expect((await visitors.visit(site, '/', undefined, opened)).headers['clear-site-data']).toBe('"cache", "storage"');
    expect((await visitors.visit(site, '/', 'berth-unlock=v1.of.long.ago', opened)).headers).not.toHaveProperty(
      'clear-site-data',
    );
    expect((await visitors.visit(site, '/', await visitors.unlocked(site), opened)).headers).not.toHaveProperty(
      'clear-site-data',
    );
    for (const password of [PASSWORD, 'wrong'])
      expect((await visitors.enter(site, { password, headers: opened })).headers).not.toHaveProperty('clear-site-data');
    for (const destination of ['image', 'script', 'iframe', 'empty', 'serviceworker'])
      expect(
        (await visitors.visit(site, '/', undefined, { 'Sec-Fetch-Dest': destination })).headers,
        destination,
      ).not.toHaveProperty('clear-site-data');
  });
});
