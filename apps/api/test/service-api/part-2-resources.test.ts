import { type Account, type Deployment, Domain, type PlanRow } from '@berth/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../test-server.ts';
import { CLAIM_URL, HOME, PASSWORD, PLATFORM_DOMAIN, startWorld, type World } from './world.ts';

/** The caps of the document, and `storage`, which the contract adds. */
const CAPS = ['customDomains', 'deployments', 'platformDomains', 'seats', 'storage'];
const CLOSED = 'Seats come this autumn.';

let world: World;
let anonymous: Deployment & { claim: string };
let owned: Deployment;
let shown: Deployment;
let listed: Deployment;
beforeAll(async () => {
  world = await startWorld({ team: { closed: CLOSED } });
  anonymous = await world.publishAnonymous();
  owned = await world.publish(
    { 'index.html': '12345', 'a.txt': '678' },
    { fields: { via: 'sdk', labels: '["blue","green"]', password: PASSWORD } },
  );
  shown = (await send('GET', `/deployments/${owned.deployment}`)).json<Deployment>();
  [listed] = (await send('GET', '/deployments')).json<{ deployments: [Deployment] }>().deployments;
});
afterAll(() => world.close());

const send: World['send'] = (...args) => world.send(...args);
const plans = async () => (await send('GET', '/plans')).json<{ plans: PlanRow[] }>().plans;

describe('api §3: Deployment', () => {
  it('"Returned by `POST /deployments`, `GET /deployments/{deployment}` and inside the `deployments` list."', () => {
    expect(shown).toEqual(owned);
    expect(listed).toEqual(owned);
  });

  it.each<[string, (row: Deployment) => unknown]>([
    [
      '`deployment`: "Deployment id; also the subdomain of its URL."',
      ({ deployment, url }) => expect(new URL(url).host).toBe(`${deployment}.${PLATFORM_DOMAIN}`),
    ],
    ['`url`: "Public URL of the deployment."', ({ url }) => expect(URL.canParse(url)).toBe(true)],
    ['`files`: "Number of files."', ({ files }) => expect(files).toBe(2)],
    ['`size`: "Total size of the files"', ({ size }) => expect(size).toBe(8)],
    ['`status`: "A value of `success` appears on create."', ({ status }) => expect(status).toBe('success')],
    ['`password`: "True when password protection is active."', ({ password }) => expect(password).toBe(true)],
    ['`via`: "Origin tag given at upload"', ({ via }) => expect(via).toBe('sdk')],
    ['`created`: "Creation time."', ({ created }) => expect(Math.abs(created - Date.now() / 1000)).toBeLessThan(60)],
    ['`labels`: "Labels set at upload or by PATCH."', ({ labels }) => expect(labels).toEqual(['blue', 'green'])],
  ])('%s', (_, check) => {
    for (const row of [owned, shown, listed]) check(row);
  });

  it('`claim`: "Present only on anonymous deploys. Contains the claim hash."', () => {
    expect(anonymous.claim).toMatch(new RegExp(`^${CLAIM_URL}/[0-9a-f]{32}$`));
    for (const row of [owned, shown, listed]) expect(row).not.toHaveProperty('claim');
  });

  it('`password`: "The password itself is never returned."', () => {
    expect(JSON.stringify([owned, shown, listed])).not.toContain(PASSWORD);
    expect(anonymous.password).toBe(false);
  });

  it('`expires`: "Present only on anonymous deploys."', () => {
    expect(anonymous.expires).toBeTypeOf('number');
    for (const row of [owned, shown, listed]) expect(row).not.toHaveProperty('expires');
  });

  it.each(['cli', 'sdk', 'mcp'])('`via`: "(for example `cli`, `sdk`, `mcp`)": %s', async (via) => {
    expect((await world.publish(HOME, { fields: { via } })).via).toBe(via);
  });

  it('`labels`: "[…] or by PATCH. Its presence in responses is implied by the label operations."', async () => {
    const { deployment, labels } = await world.publish();
    expect(labels).toEqual([]);
    const patched = (await send('PATCH', `/deployments/${deployment}`, { labels: ['set-later'] })).json<Deployment>();
    expect(patched.labels).toEqual(['set-later']);
    expect((await send('GET', `/deployments/${deployment}`)).json()).toEqual(patched);
  });

  it('"Responses for authenticated deploys have the same shape minus `claim` and `expires`."', () => {
    const { claim, expires, ...rest } = anonymous;
    expect([typeof claim, typeof expires]).toEqual(['string', 'number']);
    expect(Object.keys(owned).toSorted()).toEqual(
      Object.keys(rest)
        .filter((name) => name !== 'hash')
        .toSorted(),
    );
  });
});

describe('api §6: Plan row', () => {
  it('`plan`: "Plan id, equal to the plan id that `GET /account` reports."', async () => {
    const ids = (await plans()).map(({ plan }) => plan);
    for (const plan of ids) {
      const { key } = await world.server.account(plan);
      expect((await send('GET', '/account', undefined, { key })).json<Account>().plan).toBe(plan);
    }
  });

  it('`name`: "Display name."', async () => {
    expect((await plans()).map(({ name }) => name)).toEqual(['Free', 'Pro', 'Team', 'Scale']);
  });

  it('`price`: "`month` and `year` are integers in whole US cents. `contact` marks a plan arranged directly."', async () => {
    for (const { plan, price } of await plans()) {
      if (plan === 'scale') expect(price).toBe('contact');
      else {
        expect(Object.keys(price).toSorted()).toEqual(['month', 'year']);
        for (const cents of Object.values(price)) expect(cents).toSatisfy(Number.isSafeInteger);
      }
    }
  });

  it('`caps`: "Keys `deployments`, `platformDomains`, `customDomains`, `seats` […] `null` for a plan arranged directly."', async () => {
    for (const { price, caps } of await plans())
      expect(caps && Object.keys(caps).toSorted()).toEqual(price === 'contact' ? null : CAPS);
  });

  it('`closed`: "Present only when the plan is listed but cannot be ordered yet. Its value is the sentence to show."', async () => {
    for (const row of await plans()) {
      if (row.plan === 'team') expect(row.closed).toBe(CLOSED);
      else expect(row).not.toHaveProperty('closed');
    }
  });
});

describe('api §6: Account', () => {
  it('"Reports the account\'s plan, `usage` (what the account holds) and `caps` (what it may hold)."', async () => {
    const { key } = await world.server.account('pro');
    const read = async () => (await send('GET', '/account', undefined, { key })).json<Account>();
    expect(await read()).toMatchObject({
      plan: 'pro',
      usage: { deployments: 0, platformDomains: 0, customDomains: 0 },
    });
    await world.publish(HOME, { key });
    await send('PUT', `/domains/counted.${PLATFORM_DOMAIN}`, {}, { key });
    await send('PUT', '/domains/www.counted.dev', {}, { key });
    const { usage, caps } = await read();
    expect(usage).toEqual({
      deployments: 1,
      platformDomains: 1,
      customDomains: 1,
      seats: 1,
      storage: expect.any(Number),
    });
    expect(caps).toEqual((await plans()).find(({ plan }) => plan === 'pro')!.caps);
  });

  it('"`usage` and `caps` use the same keys as the plan row\'s `caps`, so one can be divided by the other."', async () => {
    const { usage, caps } = (await send('GET', '/account')).json<Account>();
    for (const each of [usage, caps!]) expect(Object.keys(each).toSorted()).toEqual(CAPS);
  });
});

describe('api §4: Domain', () => {
  it.each([
    [`MiXeD.${PLATFORM_DOMAIN.toUpperCase()}`, `mixed.${PLATFORM_DOMAIN}`],
    ['www.Bücher.dev', 'www.xn--bcher-kva.dev'],
    ['www.bu\u0308cher.dev', 'www.xn--bcher-kva.dev'],
  ])('"Identified by its name (normalised for casing and Unicode)": %s', async (written, name) => {
    const put = await send('PUT', `/domains/${encodeURIComponent(written)}`, {});
    expect(put.json()).toMatchObject({ domain: name });
    for (const spelling of [written, name])
      expect((await send('GET', `/domains/${encodeURIComponent(spelling)}`)).text).toBe(put.text);
  });

  it('"Can be linked to a deployment (field `deployment` on create/link) and labelled."', async () => {
    const { deployment } = await world.publish();
    const put = async (body: object) =>
      Domain.strict().parse((await send('PUT', `/domains/linked.${PLATFORM_DOMAIN}`, body)).json());
    expect(await put({ deployment })).toMatchObject({ deployment, labels: [] });
    expect(await put({ labels: ['front'] })).toMatchObject({ deployment, labels: ['front'] });
  });
});

describe('api §5: Token', () => {
  it('"The full secret is returned only by `POST /tokens`; `GET /tokens` returns short identifiers only."', async () => {
    for (const kind of ['deploy', 'api']) {
      const { token, secret } = (await send('POST', '/tokens', { kind })).json<{ token: string; secret: string }>();
      world.server.secrets.add(secret);
      expect(secret).toMatch(/^(?:ship|deploy)-[0-9a-f]{32}$/);
      const list = await send('GET', '/tokens');
      expect(list.json<{ tokens: object[] }>().tokens).toContainEqual(expect.objectContaining({ token, kind }));
      expect(list.text).not.toMatch(/(?:ship|deploy)-[0-9a-f]{32}/);
      expect(list.text).not.toContain('secret');
    }
  });
});

it('api §6: Activity: "An entry of the account audit log, listed by `GET /activities`."', async () => {
  const { deployment } = await world.publish();
  const [newest] = (await send('GET', '/activities')).json<{ activities: object[] }>().activities;
  expect(newest).toMatchObject({ event: 'deployment.create', deployment });
});

describe('api §6: Claim', () => {
  it('"An anonymous deployment carries a claim hash inside its `claim` URL."', async () => {
    expect(new URL(anonymous.claim).pathname.split('/').at(-1)).toMatch(/^[0-9a-f]{32}$/);
  });

  it('"`POST /account/claim` takes it in the field `claim` (string) and returns the claimed deployment."', async () => {
    const { deployment, hash } = await world.publishAnonymous();
    const claimed = await send('POST', '/account/claim', { claim: hash });
    expect([claimed.status, claimed.json()]).toEqual([200, expect.objectContaining({ deployment })]);
  });
});

describe('api §2: Error body', () => {
  const refusals: [string, () => Promise<Answer>][] = [
    ['400', () => send('GET', '/deployments?limit=0')],
    ['401', () => send('GET', '/account', undefined, { key: null })],
    ['403', () => send('GET', '/account', undefined, { key: world.mine.deployToken })],
    ['404', () => send('GET', '/deployments/calm-otter-zzzzzzz')],
    ['404', () => send('GET', '/nowhere')],
    ['405', () => send('PUT', '/plans', {})],
    ['422', () => send('GET', `/domains/linked.${PLATFORM_DOMAIN}/dns`)],
  ];
  it.each(refusals)(
    '"`error` string, `message` string, `status` integer, `details` object, optional": %s',
    async (status, ask) => {
      const answer = await ask();
      const { details = {}, ...body } = answer.json();
      expect(body).toEqual({
        error: expect.stringMatching(/^[a-z_]+$/),
        message: expect.any(String),
        status: Number(status),
      });
      expect(answer.status).toBe(Number(status));
      expect(Object.prototype.toString.call(details)).toBe('[object Object]');
    },
  );
});
