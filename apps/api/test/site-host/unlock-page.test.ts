import { ServiceError, unavailable } from '@berth/core';
import { ask, type RawAnswer, stop } from '@berth/testing/raw-socket';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectPage } from '../pages/expect-page.ts';
import { hostOf, LOCKED, runSampleSites } from './running-host.ts';

const FORM = 'Content-Type: application/x-www-form-urlencoded';

let host: Awaited<ReturnType<typeof runSampleSites>>;
beforeAll(async () => {
  host = await runSampleSites();
});
beforeEach(() => {
  host.logged.length = 0;
});
afterAll(() => stop(host.server));

const enter = (body = 'password=x&next=/docs/') =>
  ask(
    host.port,
    'POST /.berth/unlock HTTP/1.1',
    [`Host: ${hostOf(LOCKED)}`, FORM, `Content-Length: ${body.length}`],
    body,
  );
const problemOf = ({ body }: RawAnswer) => /<p id="problem" role="alert">([^<]*)<\/p>/.exec(body)?.[1];

describe('S59: the unlock page', () => {
  it('has a form for people and password managers, and no script', async () => {
    const { body, headers } = await host.get('/docs/?x', [], { host: hostOf(LOCKED) });
    expect(body).toContain('<form method="post" action="/.berth/unlock">');
    expect(body).toContain('<label for="password">Password</label>');
    expect(body).toMatch(
      /<input id="password" name="password" type="password" autocomplete="current-password"[^>]* required autofocus>/,
    );
    expect(body).toContain('<input type="hidden" name="next" value="/docs/?x">');
    expect(body).toContain('<title>This site is protected by a password</title>');
    expect(body).not.toMatch(/role="alert"|aria-invalid=/i);
    expectPage(headers, body, "'self'");
  });

  it.each([
    [5, 'in 5 seconds'],
    [1, 'in 1 second'],
    [60, 'in 1 minute'],
    [61, 'in 2 minutes'],
    [600, 'in 10 minutes'],
  ])('S61: is 429 after too many tries, and says when to retry: %d s', async (retryAfterSeconds, words) => {
    host.lock.unlock = async () => ({ kind: 'too-many', retryAfterSeconds });
    const answer = await enter();
    expect([answer.status, answer.headers['retry-after']]).toEqual([429, String(retryAfterSeconds)]);
    expect(problemOf(answer)).toBe(`Too many attempts. You can try again ${words}.`);
    expect(answer.body).toContain('<title>Error: This site is protected by a password</title>');
    expect(answer.body).toContain('name="next" value="/docs/"');
    expect(answer.body).not.toContain('aria-invalid=');
  });

  it.each([
    ['with a cause, which is logged', new Error('ECONNREFUSED'), ['warn']],
    ['without one, as when too many passwords are being hashed', undefined, []],
  ])('T27: is 503 %s when the password cannot be checked', async (_, cause, levels) => {
    host.lock.unlock = () => Promise.reject(unavailable('away', cause, 7));
    const answer = await enter();
    expect([answer.status, answer.headers['retry-after'], answer.headers['cache-control']]).toEqual([
      503,
      '7',
      'private, no-store',
    ]);
    expect(problemOf(answer)).toBe('The service is busy right now. Try again in 7 seconds.');
    expect(host.logged.map(({ level }) => level)).toEqual(levels);
  });

  it.each([new Error('secret cause'), new ServiceError('not_found', 'secret cause')])(
    'F7: is a 500 that reveals nothing of the cause for any other fault',
    async (fault) => {
      host.lock.unlock = () => Promise.reject(fault);
      const answer = await enter();
      expect([answer.status, answer.headers['set-cookie']]).toEqual([500, undefined]);
      expect(answer.body).not.toContain('secret');
      expect(host.logged).toMatchObject([{ level: 'error' }]);
    },
  );
});
