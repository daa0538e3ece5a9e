import { unavailable } from '@berth/core';
import { open, parse, send, stop } from '@berth/testing/raw-socket';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pack } from './memory-packs.ts';
import { FILES, hostOf, PUBLIC, runSampleSites } from './running-host.ts';

let host: Awaited<ReturnType<typeof runSampleSites>>;
beforeEach(async () => {
  host = await runSampleSites();
});
afterEach(() => stop(host.server));

describe('when a dependency fails', () => {
  it.each([
    ['small', 'about.html', '/about'],
    ['large', 'large.bin', '/large.bin'],
  ])('C3: a %s file that has moved is found at its new place', async (_, path, target) => {
    const files = { ...FILES, 'large.bin': Buffer.alloc(300_000, 'x') };
    const [before, after] = [
      await pack(host.packs, 'before', files),
      await pack(host.packs, 'after', { 'padding.txt': 'padding', ...files }),
    ];
    host.packs.contents.delete('before');
    host.setFind(
      async () => ({ ...host.site, manifest: before }),
      async () => ({ ...host.site, manifest: after }),
    );
    const answer = await host.get(target);
    expect(answer).toMatchObject({ status: 200, body: String(files[path as keyof typeof files]) });
    expect(host.freshReads()).toBe(1);
    expect(host.logged).toEqual([]);
  });

  it.each(['/about', '/large.bin', '/docs/nothing'])(
    'C3: the loss of %s is logged and answered with 500 after one retry',
    async (target) => {
      host.sites.set(PUBLIC, {
        ...host.site,
        manifest: await pack(host.packs, 'lost', { ...FILES, 'large.bin': Buffer.alloc(300_000) }),
      });
      host.packs.contents.delete('lost');
      const answer = await host.get(target);
      expect(answer).toMatchObject({ status: 500, headers: { 'cache-control': 'no-store' } });
      expect(answer.body).toContain(answer.headers['x-request-id']);
      expect(answer.headers).not.toHaveProperty('etag');
      expect(host.freshReads()).toBe(1);
      expect(host.logged).toMatchObject([{ level: 'error', err: { code: 'ENOENT' } }]);
    },
  );

  it('a site that is deleted during the request is 404, not 500', async () => {
    const manifest = await pack(host.packs, 'lost', FILES);
    host.packs.contents.delete('lost');
    host.setFind(
      async () => ({ ...host.site, manifest }),
      async () => null,
    );
    expect((await host.get('/about')).status).toBe(404);
  });

  it('T36: bytes that differ from those of the site are 500, never 200', async () => {
    host.packs.contents.get('first')![3]! ^= 1;
    expect(await host.get('/')).toMatchObject({ status: 500 });
    expect(host.logged).toMatchObject([{ level: 'error' }]);
    expect((await host.get('/about')).status).toBe(200);
  });

  it('an unavailable database is 503 with Retry-After', async () => {
    host.setFind(() => Promise.reject(unavailable('away', new Error('ECONNREFUSED'), 7)));
    expect(await host.get('/')).toMatchObject({
      status: 503,
      headers: { 'retry-after': '7', 'cache-control': 'no-store' },
    });
    expect(host.logged).toMatchObject([{ level: 'warn' }]);
  });

  it('F7: an unexpected fault is 500 and reveals nothing of its cause', async () => {
    host.setFind(() => Promise.reject(new Error('secret cause')));
    const answer = await host.get('/');
    expect(answer.status).toBe(500);
    expect(answer.body).not.toContain('secret');
    expect(host.logged).toMatchObject([{ level: 'error', err: { message: 'secret cause' } }]);
  });

  it('a pack that disappears half-way is not searched for again', async () => {
    const manifest = await pack(host.packs, 'going', { 'large.bin': Buffer.alloc(8_000_000) });
    host.sites.set(PUBLIC, { ...host.site, manifest });
    const { socket, received } = await open(host.port);
    socket.once('data', () => host.packs.contents.delete('going'));
    socket.write(`GET /large.bin HTTP/1.1\r\nHost: ${hostOf(PUBLIC)}\r\n\r\n`);
    expect((await received).length).toBeLessThan(8_000_000);
    await expect.poll(() => host.logged).toMatchObject([{ level: 'error', err: { code: 'ENOENT' } }]);
    expect(host.freshReads()).toBe(0);
  });

  it('a pack that fails half-way closes the connection', async () => {
    const manifest = await pack(host.packs, 'failing', { 'large.bin': Buffer.alloc(8_000_000) });
    host.packs.contents.set('failing', host.packs.contents.get('failing')!.subarray(0, 1_000_000));
    host.sites.set(PUBLIC, { ...host.site, manifest });
    const answer = parse(await send(host.port, `GET /large.bin HTTP/1.1\r\nHost: ${hostOf(PUBLIC)}\r\n\r\n`));
    expect(answer).toMatchObject({ status: 200, headers: { 'content-length': '8000000' } });
    expect(answer.body.length).toBeLessThan(8_000_000);
    await expect.poll(() => host.logged).toMatchObject([{ level: 'error', err: { message: 'the pack is too short' } }]);
    expect(host.packs.openStreams()).toBe(0);
  });
});
