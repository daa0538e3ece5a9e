import { insertDomain, switchDomain } from '@berth/testing/domains';
import { ask as askRaw } from '@berth/testing/raw-socket';
import type { Answer } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';

const files = (text: string) => ({
  'index.html': `${text}: ${'x'.repeat(2_000)} :${text}`,
  'app.4f3a9b21.js': `${text}();`,
  'photo-4f3a9b21.png': text,
});

const server = useServer({ clean: true });
let first: string;
beforeAll(async () => {
  first = (await server().publish(files('first'))).deployment;
  await insertDomain(server(), 'bakery.example', { deployment: first });
  await insertDomain(server(), 'shop.localhost', { kind: 'platform', deployment: first });
});

const visit = (host: string, path = '/') => server().visit(`http://${host}`, path);
const titleOf = ({ text }: Answer) => /<h1>(.*)<\/h1>/.exec(text)?.[1];

describe('S3, S4: a site at a domain', () => {
  it.each([
    'bakery.example',
    'Bakery.EXAMPLE',
    'bakery.example.',
    'bakery.example:4000',
    'BAKERY.example.:443',
    'shop.localhost',
    'SHOP.localhost.:1',
  ])('is shown for the host %s', async (host) => {
    const answer = await askRaw(server().port, 'GET / HTTP/1.1', [`Host: ${host}`]);
    expect([answer.status, answer.body]).toEqual([200, files('first')['index.html']]);
  });

  it.each([
    'www.bakery.example',
    'bakery.example.evil.example',
    'akery.example',
    'shop',
    'shop.localhost.example',
    'www.shop.localhost',
    'other.localhost',
    'www.localhost',
    'example',
    '127.0.0.1',
    'bakery.example..',
  ])('is not shown for the host %s', async (host) => {
    const answer = await askRaw(server().port, 'GET / HTTP/1.1', [`Host: ${host}`]);
    expect([answer.status, answer.headers['cache-control']]).toEqual([404, 'no-store']);
    expect(answer.body).toContain('There is nothing at this address');
  });

  it('S53: caches an asset with a hash in its name forever only on its deployment host', async () => {
    for (const path of ['/app.4f3a9b21.js', '/photo-4f3a9b21.png', '/']) {
      for (const host of ['bakery.example', 'shop.localhost'])
        expect((await visit(host, path)).headers['cache-control'], host + path).toBe(
          'public, max-age=0, must-revalidate',
        );
    }
    expect((await server().visit(first, '/app.4f3a9b21.js')).headers['cache-control']).toBe(
      'public, max-age=31536000, immutable',
    );
  });

  it('S44: has the entity tags of its deployment host', async () => {
    const { etag } = (await server().visit(first)).headers;
    expect((await visit('bakery.example')).headers['etag']).toBe(etag);
    const again = await server().visit('http://bakery.example', '/', { headers: { 'If-None-Match': String(etag) } });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it('S5: is answered like a missing one while it is pending, partial or not linked', async () => {
    const never = await visit('never.example');
    for (const [name, domain] of Object.entries({
      'pending.example': { status: 'pending', verified: false, deployment: first },
      'partial.example': { status: 'partial', verified: false, deployment: first },
      'empty.example': {},
    } as const)) {
      await insertDomain(server(), name, domain);
      const answer = await visit(name);
      expect([name, answer.status, answer.text]).toEqual([name, 404, never.text]);
      expect(Object.keys(answer.headers)).toEqual(Object.keys(never.headers));
    }
  });

  it('S6, S64: does not serve its own files at system paths', async () => {
    for (const path of ['/.berth/unlock', '/.berth/x', '/.well-known/acme-challenge/token'])
      for (const method of ['GET', 'POST'])
        expect((await server().visit('http://bakery.example', path, { method })).status, path).toBe(404);
  });
});

describe('S4, api §6: a site that is not shown', () => {
  it('because its account or its domain is paused is 503, without any content of the site', async () => {
    const { account, key } = await server().account('pro');
    const { deployment } = await server().publish(files('paused'), { key, fields: { password: 'open-sesame' } });
    await insertDomain(server(), 'paused.example', { status: 'paused', deployment });
    await insertDomain(server(), 'own.example', { deployment });
    const expectPaused = (answer: Answer, asked: string) => {
      expect([asked, answer.status, titleOf(answer)]).toEqual([asked, 503, 'This site is paused']);
      expect(answer.headers).toMatchObject({ 'retry-after': '3600', 'cache-control': 'no-store' });
      expect(answer.headers).not.toHaveProperty('www-authenticate');
      expect(answer.headers).not.toHaveProperty('etag');
    };
    for (const path of ['/', '/app.4f3a9b21.js', '/nothing', '/.berth/unlock'])
      expectPaused(await visit('paused.example', path), path);
    expect((await visit('own.example')).status).toBe(401);

    await server().database.query(`update account set state = 'suspended' where id = $1`, [account]);
    expectPaused(await visit('own.example'), 'own.example');
    expectPaused(await server().visit(deployment), deployment);
    expectPaused(
      await server().visit(deployment, '/.berth/unlock', { method: 'POST', body: 'password=open-sesame' }),
      'unlocking',
    );
    await server().database.query(`update account set state = 'terminated' where id = $1`, [account]);
    for (const host of ['own.example', 'paused.example', `${deployment}.localhost`])
      expect((await visit(host)).status, host).toBe(404);
    await server().database.query(`update account set state = 'active' where id = $1`, [account]);
    expect((await visit('own.example')).status).toBe(401);
  });

  it('because it is taken down is 451 at every host and path, until it is restored', async () => {
    const { deployment } = await server().publish(files('down'));
    await insertDomain(server(), 'down.example', { deployment });
    await server().database.query(`update deployment set taken_down = now() where id = $1`, [deployment]);
    for (const host of ['down.example', `${deployment}.localhost`]) {
      for (const path of ['/', '/app.4f3a9b21.js', '/nothing']) {
        const answer = await visit(host, path);
        expect([host, path, answer.status, titleOf(answer)]).toEqual([
          host,
          path,
          451,
          'This site has been taken down',
        ]);
        expect(answer.headers['cache-control']).toBe('no-store');
      }
    }
    await server().database.query(`update deployment set taken_down = null where id = $1`, [deployment]);
    expect((await visit('down.example')).text).toBe(files('down')['index.html']);
  });
});

it('S2, T35: a switch of a domain is visible to the next request, 200 times, and readers only see complete pages', async () => {
  const second = (await server().publish(files('second'))).deployment;
  await insertDomain(server(), 'switched.example', { deployment: first });
  const pages = [files('first')['index.html'], files('second')['index.html']];
  let isDone = false;
  const seen = new Set<string>();
  const readers = Array.from({ length: 3 }, async () => {
    while (!isDone) {
      const { status, text, headers } = await visit('switched.example');
      expect([status, pages.includes(text), headers['content-length']]).toEqual([200, true, String(text.length)]);
      seen.add(text);
    }
  });
  for (let n = 0; n < 200; n += 1) {
    await switchDomain(server(), 'switched.example', n % 2 === 0 ? second : first);
    if (n % 4 < 2) expect((await visit('switched.example')).text).toBe(pages[(n + 1) % 2]);
  }
  isDone = true;
  await Promise.all(readers);
  expect(seen.size).toBe(2);
});
