import { startAnswering } from '@berth/testing/fake-servers';
import { OWNER_KEY } from '@berth/testing/requests';
import { expect, it } from 'vitest';
import { createUser } from './user.ts';

const ACTIVITY = { event: 'badge.create', created: 1, authMethod: 'badge', meta: {}, device: 'phone' };
const DOMAIN = {
  domain: 'www.example.com',
  url: 'https://www.example.com',
  status: 'moving',
  deployment: null,
  labels: [],
  created: 1,
  linked: null,
};
const ERROR = { error: 'quota_exhausted', message: 'The quota is used up.', status: 409 };

/** Runs a command against a server with values and fields that this program does not know. */
async function runAtNewerServer(...words: string[]) {
  const server = await startAnswering(({ url = '' }, res) => {
    const [status, body] = url.includes('account')
      ? [409, { error: { message: ERROR.message, code: -32_600, data: ERROR } }]
      : [200, { result: { data: { activities: [ACTIVITY], domains: [DOMAIN], more: {} } } }];
    res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  return createUser({ BERTH_SERVER: server, BERTH_KEY: OWNER_KEY }).runInProcess(...words);
}

it('api §9: berth shows an unknown event, state and error code of a newer server by its name', async () => {
  const activities = await runAtNewerServer('activities');
  expect(activities).toMatchObject({ code: 0, out: expect.stringMatching(/badge\.create \(badge\)/) });
  const domains = await runAtNewerServer('domains');
  expect(domains).toMatchObject({ code: 0, out: expect.stringMatching(/www\.example\.com\s+moving/) });
  const account = await runAtNewerServer('account', '--json');
  expect(JSON.parse(account.err).error).toMatchObject({ code: 'quota_exhausted', status: 409, message: ERROR.message });
});
