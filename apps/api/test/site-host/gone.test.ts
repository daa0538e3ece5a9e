import type { Answer } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';

const server = useServer({ clean: true });

describe('a deployment that no longer exists', () => {
  const FILES = { 'index.html': 'front', '404.html': 'own 404' };

  it.each<[string, () => Promise<string>]>([
    [
      'was deleted',
      async () => {
        const { deployment } = await server().publish(FILES);
        expect((await server().visit(deployment)).status).toBe(200);
        expect((await server().api(`/deployments/${deployment}`, { method: 'DELETE' })).status).toBe(202);
        return deployment;
      },
    ],
    [
      'has expired',
      async () => {
        const { deployment } = await server().publish(FILES, { fields: { ttl: '600' } });
        expect((await server().visit(deployment)).status).toBe(200);
        await server().database.query(`update deployment set expires = now() - interval '1 second' where id = $1`, [
          deployment,
        ]);
        return deployment;
      },
    ],
  ])('because it %s is answered, byte for byte, like one that never existed (S4, S5)', async (_, make) => {
    const site = await make();
    for (const path of ['/', '/index.html', '/nothing', '/.berth/unlock']) {
      for (const method of ['GET', 'HEAD', 'POST']) {
        const [gone, never] = await Promise.all([
          server().visit(site, path, { method }),
          server().visit('calm-otter-0000000', path, { method }),
        ]);
        expect(comparable(gone), `${method} ${path}`).toEqual(comparable(never));
        expect([gone.status, gone.headers['cache-control']]).toEqual([404, 'no-store']);
      }
    }
  });
});

it('an anonymous deployment can be indexed from the first request after its claim (S56)', async () => {
  const { deployment, claim } = await server().publish({ 'index.html': 'front' }, { key: null });
  const paths = ['/', '/nothing', '//'];
  for (const path of paths) expect((await server().visit(deployment, path)).headers['x-robots-tag']).toBe('noindex');
  const claimed = await server().api('/account/claim', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ claim: claim!.split('/').at(-1) }),
  });
  expect(claimed.status).toBe(200);
  for (const path of paths) expect((await server().visit(deployment, path)).headers).not.toHaveProperty('x-robots-tag');
});

/** An answer without the parts that differ between requests. */
function comparable({ status, headers, text }: Answer) {
  return { status, headers: { ...headers, date: '', 'x-request-id': '' }, text };
}
