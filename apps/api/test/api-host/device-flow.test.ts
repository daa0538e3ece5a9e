import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';

const server = useServer();
const limited = useServer({ env: { RATE_LIMITS: 'signin=2/h' } });
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const form = (fields: Record<string, string> | string) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
});
const authorize = (fields: Record<string, string> | string, to = server()) =>
  to.api('/oauth/device_authorization', form(fields));
const redeem = (fields: Record<string, string>) => server().api('/oauth/token', form(fields));

describe('api §13: the device flow over HTTP', () => {
  it('begins with two codes and the page for the person', async () => {
    const response = await authorize({ client_id: 'test', device_name: 'laptop' });
    expect(response.status).toBe(200);
    expect(response.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
    });
    const body = response.json<Record<string, string>>();
    expect(body).toEqual({
      device_code: expect.stringMatching(/^[0-9a-f]{32}$/),
      user_code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/),
      verification_uri: expect.stringMatching(/^http:.+\/device$/),
      verification_uri_complete: `${body['verification_uri']}?code=${body['user_code']}`,
      expires_in: 600,
      interval: 5,
    });
    const poll = await redeem({ grant_type: GRANT, device_code: body['device_code']!, client_id: 'test' });
    expect([poll.status, poll.json()]).toEqual([
      400,
      expect.objectContaining({ error: 'authorization_pending', error_description: expect.any(String) }),
    ]);
    const [row] = await server().database.query<{ client: string }>('select client from device_grant');
    expect(row).toEqual({ client: 'test on laptop' });
  });

  it.each<[string, () => ReturnType<typeof redeem>, string]>([
    ['no client id', () => authorize({}), 'invalid_client'],
    ['a client id without a visible character', () => authorize({ client_id: '\u202e \u0007' }), 'invalid_client'],
    ['a repeated field', () => authorize('client_id=a&client_id=b'), 'invalid_request'],
    ['another grant type', () => redeem({ grant_type: 'password', device_code: 'x' }), 'unsupported_grant_type'],
    ['no device code', () => redeem({ grant_type: GRANT }), 'invalid_request'],
    ['an unknown device code', () => redeem({ grant_type: GRANT, device_code: 'x' }), 'invalid_grant'],
    ['JSON', () => server().api('/oauth/token', { method: 'POST', json: { grant_type: GRANT } }), 'invalid_request'],
  ])('refuses %s with an error of the RFC', async (_, send, error) => {
    const response = await send();
    expect([response.status, response.json()]).toEqual([400, expect.objectContaining({ error, status: 400 })]);
    expect(response.json<{ message: string }>().message).toMatch(/\.$/);
  });

  it('accepts only POST', async () => {
    expect(await server().api('/oauth/token')).toMatchObject({ status: 405, headers: { allow: 'POST, OPTIONS' } });
  });

  it('limits how often an address can begin', async () => {
    for (let n = 0; n < 2; n += 1) expect((await authorize({ client_id: 'test' }, limited())).status).toBe(200);
    const refused = await authorize({ client_id: 'test' }, limited());
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': expect.stringMatching(/^\d+$/) } });
    expect(refused.json()).toMatchObject({ error: 'slow_down' });
  });
});
