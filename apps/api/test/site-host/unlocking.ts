import type { Answer, Ask } from '@berth/testing/requests';
import type { TestServer } from '@berth/testing/server';
import { expect } from 'vitest';

export const PASSWORD = 'Grüße & 100% = +x';
/** A text in every file of a protected site. */
export const MARKER = 'MARKER-OF-PROTECTED-BYTES';
export const FILES = {
  'index.html': `<p>${MARKER}</p>`,
  'docs/index.html': MARKER,
  'app.4f3a9b21.js': MARKER,
  '404.html': MARKER,
};

export interface Entered extends Ask {
  /** Default: the right one. */
  password?: string;
  next?: string;
  /** The visitor's address. Default: one that is not used yet. */
  from?: string;
}

/** Visitors of protected sites, on a server that trusts 127.0.0.1 as a proxy. */
export function visitorsOf(server: TestServer) {
  let addresses = 0;
  const elsewhere = () => `198.18.${Math.floor((addresses += 1) / 250)}.${(addresses % 250) + 1}`;
  /** Sends the form. */
  const enter = (
    host: string,
    { password = PASSWORD, next, from = elsewhere(), headers, ...ask }: Entered = {},
  ): Promise<Answer> => {
    const body = new URLSearchParams({ password, ...(next === undefined ? {} : { next }) }).toString();
    return server.visit(host, '/.berth/unlock', {
      method: 'POST',
      body,
      ...ask,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'X-Forwarded-For': from, ...headers },
    });
  };
  return {
    /** Publishes a site that needs a password. */
    protect: async (password = PASSWORD) => (await server.publish(FILES, { fields: { password } })).deployment,
    enter,
    /** The cookie for the right password. */
    unlocked: async (host: string) => cookieOf(await enter(host)),
    visit: (host: string, path: string, cookie?: string, headers: Record<string, string> = {}) =>
      server.visit(host, path, { headers: { ...headers, ...(cookie === undefined ? {} : { Cookie: cookie }) } }),
  };
}

/** The cookie that an answer sets, as a browser sends it back. */
export function cookieOf({ headers }: Answer): string {
  const [cookie = ''] = headers['set-cookie'] ?? [];
  return cookie.split(';')[0]!;
}

/** The problem that the unlock page shows. */
export function problemOf({ text }: Answer): string | undefined {
  return /role="alert">([^<]*)</.exec(text)?.[1];
}

/** Checks that an answer reveals neither bytes of the site nor anything about them. */
export function expectLocked(answer: Answer, asked: string): void {
  expect([asked, answer.status, answer.text.includes(MARKER)]).toEqual([asked, 401, false]);
  for (const name of ['etag', 'last-modified', 'accept-ranges', 'content-range', 'location', 'set-cookie'])
    expect(answer.headers, asked).not.toHaveProperty(name);
}
