import { join } from 'node:path';
import type { Deployment } from '@berth/contract';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { renderQrCode } from '../src/render/qr-code.ts';
import { createUser, envOf, writeFiles } from './user.ts';

const server = useServer();

function builder(key?: string) {
  const person = createUser(envOf(server(), key));
  return { ...person, dist: writeFiles(join(person.home, 'dist'), { 'index.html': 'draft' }) };
}

const previewed = (out: string) => JSON.parse(out) as { url: string; deployment: Deployment; claim: string | null };

describe('berth preview', () => {
  it('publishes a folder for a day, at a link of its own', async () => {
    const { dist, runInProcess } = builder();
    const { code, out } = await runInProcess('preview', dist, '--json');
    expect(code).toBe(0);
    const { url, deployment } = previewed(out);
    expect(deployment.expires).toBe(deployment.created + 24 * 60 * 60);
    expect((await server().visit(url)).text).toBe('draft');
  });

  it('uses another time to live, a password and labels', async () => {
    const { dist, runInProcess } = builder((await server().account()).deployToken);
    const options = ['--ttl', '2h', '--password', 'open sesame', '--label', 'draft'];
    const { deployment } = previewed((await runInProcess('preview', dist, '--json', ...options)).out);
    expect(deployment).toMatchObject({ expires: deployment.created + 7_200, password: true, labels: ['draft'] });
  });

  it('works without an account', async () => {
    const { dist, runInProcess } = builder('');
    expect(previewed((await runInProcess('preview', dist, '--json')).out).claim).toMatch(/^http:/);
  });

  it('prints only the link without a terminal', async () => {
    const { dist, runInProcess } = builder();
    const { out, err } = await runInProcess('preview', dist);
    expect(out).toMatch(/^http:\/\/[a-z0-9-]+\.localhost:\d+\n$/);
    expect(err).not.toMatch(/[█▀▄]/);
  });

  it('refuses a domain, because the preview expires', async () => {
    const { dist, runInProcess } = builder();
    expect(await runInProcess('preview', dist, '--domain', 'blog')).toMatchObject({ code: 2 });
  });
});

it('a QR code is a square with the same colours on every terminal', () => {
  const rows = renderQrCode('https://calm-otter-4k9x2qd.sites.example.com').map(([, piece]) => piece);
  const widths = new Set(
    rows.map((piece) => (typeof piece === 'object' ? [piece.colour, piece.text.length].join() : '')),
  );
  expect([...widths]).toEqual([`paper,${rows.length * 2 - 1}`]);
});
