import type { Answer, Ask } from '@berth/testing/requests';
import type { TestServer } from '@berth/testing/server';

/** Sends the form of the unlock page. */
export function enterPassword(
  server: TestServer,
  site: string,
  fields: Record<string, string>,
  { headers, ...ask }: Ask = {},
): Promise<Answer> {
  return server.visit(site, '/.berth/unlock', {
    method: 'POST',
    body: new URLSearchParams(fields).toString(),
    ...ask,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
  });
}

/** The cookie that an answer sets, as a browser sends it back. */
export function cookieOf({ headers }: Answer): string {
  const [cookie = ''] = headers['set-cookie'] ?? [];
  return cookie.split(';')[0]!;
}
