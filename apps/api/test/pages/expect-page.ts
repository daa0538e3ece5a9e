import { createHash } from 'node:crypto';
import { expect } from 'vitest';

/** Checks the headers of a page of the service, and that the page has no script and loads nothing. */
export function expectPage(headers: object, html: string, formAction: "'self'" | "'none'"): void {
  const [, style] = /<style>(.*)<\/style>/s.exec(html)!;
  const hash = createHash('sha256').update(style!).digest('base64');
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'`,
    'permissions-policy': expect.stringContaining('camera=()'),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  });
  expect(headers).not.toHaveProperty('access-control-allow-origin');
  expect(html).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
  expect(html).not.toMatch(/<script|\sstyle=|\son\w+=/i);
}
