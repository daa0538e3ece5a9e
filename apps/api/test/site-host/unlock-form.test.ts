import { ask as askRaw, open } from '@berth/testing/raw-socket';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';
import { safeNext } from '../../src/site-host/unlock-form.ts';
import { expectLocked, MARKER, PASSWORD, problemOf, visitorsOf } from './unlocking.ts';

const server = useServer({ env: { TRUST_PROXY: '127.0.0.1' }, clean: { secrets: [PASSWORD] } });
let site: string;
let visitors: ReturnType<typeof visitorsOf>;
beforeAll(async () => {
  visitors = visitorsOf(server());
  site = await visitors.protect();
});

describe('S60, S61: the unlock form', () => {
  it('is sent again with 401 after a wrong password, with the same destination', async () => {
    const answer = await visitors.enter(site, { password: 'not the password', next: '/docs/?a=<b>&c' });
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

  it('T33: sends a Location header with the front page', async () => {
    for (const next of ['//evil.example', '/\\evil.example', '/docs/\r\nSet-Cookie: a=b']) {
      const answer = await visitors.enter(site, { next });
      expect([answer.status, answer.headers['location'], answer.headers['set-cookie']]).toEqual([
        303,
        '/',
        [expect.stringMatching(/^berth-unlock=/)],
      ]);
    }
  });

  it('T33: redirects to the front page if next is longer than the form can carry', async () => {
    expect((await visitors.enter(site, { next: `/${'x'.repeat(2_048)}` })).headers['location']).toBe('/');
    expect((await visitors.enter(site, { next: `/${'x'.repeat(2_047)}` })).headers['location']).toBe(
      `/${'x'.repeat(2_047)}`,
    );
  });

  it.each(['/', '/docs/', '/docs/?a=b&c=%2F%2Fevil#x', '/%2f%2fevil.example', '/a//b', '/.berth/unlock'])(
    'redirects to next=%j',
    (next) => {
      expect(safeNext(next)).toBe(next);
    },
  );

  it('S59: leads back to the requested address, and nowhere else', async () => {
    for (const [path, next] of [
      ['/docs/?a=1&b="2"', '/docs/?a=1&#38;b=&#34;2&#34;'],
      ['//evil.example', '/'],
      ['/\\evil.example', '/'],
      ['/.berth/unlock?next=//evil.example', '/'],
      ['/"><script>alert(1)</script>', '/&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;'],
    ] as const)
      expect((await visitors.visit(site, path)).text, path).toContain(`name="next" value="${next}"`);
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
    const answer = await visitors.enter(site, { headers, next: '/docs/' });
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
    const answer = await visitors.enter(site, { body, headers });
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain(MARKER);
    if (status !== 303) expect(answer.headers).not.toHaveProperty('set-cookie');
  });

  it('security §4: of unknown length is read up to 8 KiB', async () => {
    const head = [
      `Host: ${site}.localhost`,
      'Content-Type: application/x-www-form-urlencoded',
      'Transfer-Encoding: chunked',
    ];
    for (const [body, status] of [
      [`${right}&x=`.padEnd(8_192, 'x'), 303],
      [`${right}&x=`.padEnd(8_193, 'x'), 413],
    ] as const) {
      const chunks = `1000\r\n${body.slice(0, 4_096)}\r\n${(body.length - 4_096).toString(16)}\r\n${body.slice(4_096)}\r\n0\r\n\r\n`;
      expect((await askRaw(server().port, 'POST /.berth/unlock HTTP/1.1', head, chunks)).status).toBe(status);
    }
  });

  it('F11: causes no fault when the client leaves half-way', async () => {
    const { socket, received } = await open(server().port);
    socket.write(
      `POST /.berth/unlock HTTP/1.1\r\nHost: ${site}.localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\npassword=x`,
    );
    const requests = () =>
      server().logged.filter(({ fields }) => fields['path'] === '/.berth/unlock' && fields['aborted']);
    await visitors.enter(site);
    socket.destroy();
    expect(await received).toBe('');
    await expect.poll(requests).toHaveLength(1);
  });

  it('accepts the password only in the body of the form', async () => {
    for (const [path, body] of [
      [`/.berth/unlock?${right}`, 'x=1'],
      ['/', right],
      ['/docs/', right],
    ] as const) {
      const answer = await server().visit(site, path, {
        method: 'POST',
        body,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      });
      expect([400, 401], path).toContain(answer.status);
      expect(answer.headers).not.toHaveProperty('set-cookie');
    }
    for (const method of ['PUT', 'GET', 'PATCH'])
      expect((await visitors.enter(site, { method })).status, method).toBe(401);
  });
});
