import { Activity, ActivityList, CreatedDeployment, DeploymentList, DomainList, ErrorBody } from '@berth/contract';
import { startAnswering } from '@berth/testing/fake-servers';
import { OWNER_KEY } from '@berth/testing/requests';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/client.ts';
import { followActivities } from '../../src/follow-activities.ts';

const ACTIVITY = { event: 'passkey.create', created: 1, authMethod: 'session', meta: {}, device: 'phone' };
const DEPLOYMENT = {
  deployment: 'calm-otter-4k9x2qd',
  url: 'https://calm-otter-4k9x2qd.sites.example',
  files: 1,
  size: 1,
  status: 'archived',
  password: false,
  via: 'cli',
  labels: [],
  domains: [],
  created: 1,
  region: { name: 'eu' },
};
const DOMAIN = {
  domain: 'www.example.com',
  url: 'https://www.example.com',
  deployment: null,
  status: 'moving',
  labels: [],
  created: 1,
  linked: null,
  links: 0,
  owner: 'ada',
};
const ERROR = {
  error: 'quota_exhausted',
  message: 'The quota is used up.',
  status: 409,
  details: { quota: 'x' },
  more: 1,
};

/** Starts a server with values and fields that this client does not know. */
const startNewerServer = () =>
  startAnswering(({ url = '' }, res) => {
    if (url.includes('activities.watch')) {
      res.writeHead(200, { 'Content-Type': 'text/event-stream' });
      const known = { ...ACTIVITY, event: 'token.create' };
      const events = [ACTIVITY, known].map((data, n) => `id: ${n}\ndata: ${JSON.stringify(data)}\n\n`);
      res.write(
        `event: connected\ndata: {}\n\nevent: begin\nid: 0\ndata: ""\n\nevent: soon\ndata: 1\n\n${events.join('')}`,
      );
      return;
    }
    const [status, body] = url.includes('account')
      ? [409, { error: { message: ERROR.message, code: -32_600, data: ERROR } }]
      : [200, { result: { data: { activities: [ACTIVITY], nextPage: 2 } } }];
    res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });

describe('api §9: a client of a newer server', () => {
  test('returns an unknown event and unknown fields as the server sent them', async () => {
    const client = createClient({ server: await startNewerServer(), key: OWNER_KEY });
    expect(await client.api.activities.list.query()).toEqual({ activities: [ACTIVITY], nextPage: 2 });
  });

  test('yields an unknown event of a stream, and the events after it', async () => {
    const client = createClient({ server: await startNewerServer(), key: OWNER_KEY });
    const events: string[] = [];
    for await (const { event } of followActivities(client, new AbortController().signal)) {
      events.push(event);
      if (events.length === 2) break;
    }
    expect(events).toEqual(['passkey.create', 'token.create']);
  });

  test('fails with an unknown error code by its name, and with a kind that follows from the status', async () => {
    const client = createClient({ server: await startNewerServer(), key: OWNER_KEY });
    await expect(client.api.account.get.query()).rejects.toMatchObject({
      kind: 'refused',
      code: 'quota_exhausted',
      status: 409,
      message: 'The quota is used up.',
      details: { quota: 'x' },
    });
  });

  test.each([
    ['an activity', Activity, ACTIVITY],
    ['a list of activities', ActivityList, { activities: [ACTIVITY] }],
    ['a list of deployments', DeploymentList, { deployments: [DEPLOYMENT] }],
    ['a list of domains', DomainList, { domains: [DOMAIN] }],
    ['a created deployment', CreatedDeployment, DEPLOYMENT],
    ['an error', ErrorBody, ERROR],
  ])('accepts %s with unknown values, and does not refuse it because of unknown fields', (_, schema, value) => {
    expect(schema.safeParse(value).error).toBeUndefined();
  });
});
