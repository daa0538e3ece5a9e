import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { INSTALLED } from './installed.ts';
import { checkPublished } from './published.ts';

describe('a real site', () => {
  const server = useServer();

  const stored = () => server().database.query('select count(*)::int as packs, sum(size)::float8 as bytes from pack');

  it.each(Object.values(INSTALLED))('is served as it was published: $describe', async ({ read }) => {
    const site = await read();
    expect(Object.keys(site).length).toBeGreaterThan(10);
    const realSite = await server().publish(site);
    expect(realSite).toMatchObject({
      files: Object.keys(site).length,
      size: Object.values(site).reduce((sum, { length }) => sum + length, 0),
    });
    expect(realSite.warnings).toBe(undefined);
    await checkPublished(server(), realSite.deployment, site);

    const before = await stored();
    const again = await server().publish(site);
    expect(again.deployment).not.toBe(realSite.deployment);
    expect(await stored(), 'architecture, packs: a redeploy of the same site stores no new bytes').toEqual(before);
  });

  it('S53, S54: caches files named by a hash of Vite forever, and revalidates the others', async () => {
    const { deployment } = await server().publish(await INSTALLED['viewer']!.read());
    const cached = async (path: string) => (await server().visit(deployment, path)).headers['cache-control'];
    expect(await cached('/traceViewer/assets/urlMatch-Cgl6axSs.js')).toBe('public, max-age=31536000, immutable');
    expect(await cached('/traceViewer/')).toBe('public, max-age=0, must-revalidate');
    expect(await cached('/traceViewer/playwright-logo.svg')).toBe('public, max-age=0, must-revalidate');
  });
});
