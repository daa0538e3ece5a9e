import { text } from 'node:stream/consumers';
import { startAnswering } from '@berth/testing/fake-servers';
import { describe, expect, it } from 'vitest';
import { createClient, type DevicePrompt, requestKey } from '../../src/index.ts';

const KEY = `ship-${'1'.repeat(32)}`;
const STARTED = {
  device_code: 'device',
  user_code: 'BCDF-GHJK',
  verification_uri: 'http://berth.test/device',
  verification_uri_complete: 'http://berth.test/device?code=BCDF-GHJK',
  expires_in: 600,
  interval: 0,
};
type Answer = [status: number, body: object];
const refused = (error: string): Answer => [400, { error, message: error, status: 400 }];

/** Starts a server that answers the first request with `begin` and the following ones with `answers`. */
async function startFlow(begin: Answer, ...answers: Answer[]) {
  const requests: Record<string, string>[] = [];
  const queue = [begin, ...answers];
  const server = await startAnswering((req, res) => {
    void text(req).then((body) => {
      requests.push({ path: req.url!, ...Object.fromEntries(new URLSearchParams(body)) });
      const [status, answer] = queue.shift() ?? [500, {}];
      res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  const prompts: DevicePrompt[] = [];
  const run = (signal?: AbortSignal) =>
    requestKey({
      client: createClient({ server }),
      program: 'test-program',
      device: 'laptop',
      signal,
      onPrompt: (prompt) => void prompts.push(prompt),
    });
  return { requests, prompts, run };
}

describe('api §13: requestKey', () => {
  it('shows the code once, waits until the person has decided, and returns the key', async () => {
    const { requests, prompts, run } = await startFlow(
      [200, STARTED],
      refused('authorization_pending'),
      [503, { error: 'unavailable', message: 'later', status: 503 }],
      refused('slow_down'),
      [200, { access_token: KEY, token_type: 'Bearer' }],
    );
    expect(await run()).toBe(KEY);
    expect(prompts).toEqual([
      {
        code: 'BCDF-GHJK',
        page: STARTED.verification_uri,
        pageWithCode: STARTED.verification_uri_complete,
        expires: expect.any(Date),
      },
    ]);
    expect(requests[0]).toEqual({
      path: '/oauth/device_authorization',
      client_id: 'test-program',
      device_name: 'laptop',
    });
    expect(requests).toHaveLength(5);
    expect(requests[4]).toEqual({
      path: '/oauth/token',
      client_id: 'test-program',
      device_code: 'device',
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    });
  });

  it('returns null for a server without this way of signing in', async () => {
    const { run, prompts } = await startFlow([404, { error: 'not_found', message: 'no', status: 404 }]);
    expect(await run()).toBeNull();
    expect(prompts).toEqual([]);
  });

  it.each([
    ['access_denied', /denied in the browser/],
    ['expired_token', /expired before it was approved/],
    ['invalid_grant', /expired before it was approved/],
  ])('fails after %s', async (error, message) => {
    const { run } = await startFlow([200, STARTED], refused(error));
    await expect(run()).rejects.toMatchObject({ kind: 'refused', message: expect.stringMatching(message) });
  });

  it('refuses an address that is not a web page, and does not show it', async () => {
    const { run, prompts } = await startFlow([200, { ...STARTED, verification_uri: 'file:///etc/passwd' }]);
    await expect(run()).rejects.toMatchObject({ kind: 'server' });
    expect(prompts).toEqual([]);
  });

  it('stops when it is aborted', async () => {
    const controller = new AbortController();
    const { run, prompts } = await startFlow([200, { ...STARTED, interval: 60 }]);
    const key = run(controller.signal);
    await expect.poll(() => prompts).toHaveLength(1);
    controller.abort();
    await expect(key).rejects.toMatchObject({ name: 'AbortError' });
  });
});
