import { OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';

const LINK = '<a href="mailto:abuse@example.com" rel="nofollow">Report abuse</a>';
const HTML = { Accept: 'text/html' };

describe('api §10: with ABUSE_CONTACT', () => {
  const server = useServer({ env: { ABUSE_CONTACT: 'abuse@example.com' } });

  it('the pages at the addresses of sites link to the contact', async () => {
    const { url } = await server().publish({ 'a.html': 'a' });
    const locked = await server().publish({ 'index.html': 'a' }, { fields: { password: 'open-sesame' } });
    for (const [site, path, status] of [
      ['calm-otter-zzzzzzz', '/', 404],
      [url, '/', 404],
      [url, '/missing', 404],
      [locked.deployment, '/', 401],
    ] as const) {
      const page = await server().visit(site, path, { headers: HTML });
      expect([page.status, page.text.includes(LINK)]).toEqual([status, true]);
    }
  });

  it('the claim page and its error pages link to the contact', async () => {
    const { claim } = await server().publish({ 'index.html': 'a' }, { key: null });
    for (const path of [new URL(claim!).pathname, '/claim/nonsense']) {
      const page = await server().api(path, { key: null, headers: HTML });
      expect([path, page.text.includes(LINK)]).toEqual([path, true]);
    }
  });

  it('RFC 9116: security.txt names the contact and expires within a year', async () => {
    const { status, headers, text } = await server().api('/.well-known/security.txt', { key: null });
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    const fields = new Map(
      text
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/: (.*)/) as [string, string]),
    );
    expect(fields.get('Contact')).toBe('mailto:abuse@example.com');
    expect(fields.get('Canonical')).toBe(`http://localhost:${server().port}/.well-known/security.txt`);
    const days = (Date.parse(fields.get('Expires')!) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(30);
    expect(days).toBeLessThan(365);
    expect((await server().api('/.well-known/security.txt', { method: 'POST', key: OWNER_KEY })).status).toBe(405);
  });
});

describe('api §10: without ABUSE_CONTACT', () => {
  const server = useServer();

  it('no page has a contact, and there is no security.txt', async () => {
    expect((await server().visit('calm-otter-zzzzzzz', '/', { headers: HTML })).text).not.toContain('Report abuse');
    expect((await server().api('/.well-known/security.txt', { key: null })).status).toBe(404);
  });
});
