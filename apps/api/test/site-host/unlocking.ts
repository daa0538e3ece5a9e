import type { HttpResponse, RequestOptions } from '@berth/testing/requests';
import type { TestServer } from '@berth/testing/server';

export function enterPassword(
  server: TestServer,
  site: string,
  fields: Record<string, string>,
  { headers, ...options }: RequestOptions = {},
): Promise<HttpResponse> {
  return server.visit(site, '/.berth/unlock', {
    method: 'POST',
    body: new URLSearchParams(fields).toString(),
    ...options,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
  });
}

/** Returns the cookie that a response sets, as a browser sends it back. */
export function cookieOf({ headers }: HttpResponse): string {
  const [cookie = ''] = headers['set-cookie'] ?? [];
  return cookie.split(';')[0]!;
}
