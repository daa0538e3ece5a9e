import type { Account, Deployment, Domain } from '@berth/contract';
import { applyDuePlanChanges, sweep } from '@berth/core/jobs';
import { changePlan } from '@berth/core/operator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectErrorAnswer } from '../standing-asserts.ts';
import type { Answer, TestServer } from '../test-server.ts';
import { BASE_URL, DAY_SECONDS, HOME, PLATFORM_DOMAIN, startWorld, type World } from './world.ts';

const MONTH_SECONDS = 32 * DAY_SECONDS;

let world: World;
let core: TestServer['berth']['core'];
beforeAll(async () => {
  world = await startWorld();
  ({ core } = world.server.berth);
});
afterAll(() => world.close());

const send: World['send'] = (...args) => world.send(...args);

describe('api §6: states', () => {
  it('Deployment, `success`: "The status returned when a deployment is created."', async () => {
    expect((await world.publish()).status).toBe('success');
    expect((await world.publishAnonymous()).status).toBe('success');
  });

  it('Deployment, anonymous, expiring: "Expires 3 days after creation unless claimed. The `expires` field is present."', async () => {
    const { created, expires, url } = await world.publishAnonymous();
    expect(expires).toBe(created + 3 * DAY_SECONDS);
    await world.later(3 * DAY_SECONDS + 1, async () => expect((await world.visit(url)).status).toBe(404));
  });

  it('Deployment, claimed, permanent: "After claiming, it is bound to the claiming account."', async () => {
    const { deployment, url, hash } = await world.publishAnonymous();
    expect((await send('POST', '/account/claim', { claim: hash })).json()).not.toHaveProperty('expires');
    const theirs = { key: world.theirs.key };
    expectErrorAnswer(await send('POST', '/account/claim', { claim: hash }, theirs), 'not_found');
    expectErrorAnswer(await send('GET', `/deployments/${deployment}`, undefined, theirs), 'not_found');
    expect((await send('GET', `/deployments/${deployment}`)).status).toBe(200);
    await world.later(4 * DAY_SECONDS, async () => expect((await world.visit(url)).status).toBe(200));
  });

  it('Deployment, deleted: "`DELETE` answers 202; cleanup continues afterwards."', async () => {
    const { deployment, url } = await world.publish();
    const path = `/deployments/${deployment}`;
    expect((await send('DELETE', path)).status).toBe(202);
    expect((await world.visit(url)).status).toBe(404);
    expect((await send('GET', path)).json()).toMatchObject({ status: 'deleting' });
    await sweep(core);
    expectErrorAnswer(await send('GET', path), 'not_found');
  });
});

describe('api §6: "When an anonymous deployment is claimed […], then it is transferred to that account."', () => {
  const claims: [string, (hash: string, key: string) => Promise<Answer>][] = [
    [
      'by `POST /account/claim` with a valid claim hash',
      (hash, key) => send('POST', '/account/claim', { claim: hash }, { key }),
    ],
    [
      'by a signed-in user visiting the claim URL',
      (hash, key) =>
        send('POST', `/claim/${hash}`, undefined, {
          key: null,
          headers: { Accept: 'text/html', Origin: BASE_URL, 'Content-Type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams({ key }).toString(),
        }),
    ],
  ];
  it.each(claims)('%s', async (_, claim) => {
    const { key } = await world.server.account();
    const { deployment, hash } = await world.publishAnonymous();
    expect((await claim(hash, key)).status).toBe(200);
    const { deployments } = (await send('GET', '/deployments', undefined, { key })).json<{
      deployments: Deployment[];
    }>();
    expect(deployments.map((row) => row.deployment)).toEqual([deployment]);
    expect((await send('GET', '/account', undefined, { key })).json<Account>().usage.deployments).toBe(1);
  });
});

describe('api §6: plan changes', () => {
  const NAME = 'www.paused.dev';
  let account: string;
  let key: string;
  const plan = async () => (await send('GET', '/account', undefined, { key })).json<Account>().plan;
  const domain = async () => (await send('GET', `/domains/${NAME}`, undefined, { key })).json<Domain>();
  const records = async () => (await send('GET', `/domains/${NAME}/records`, undefined, { key })).json();
  const open = () => world.visit(`https://${NAME}/`);

  it('rule 2: "When a plan change is an upgrade, then it takes effect at once."', async () => {
    ({ account, key } = await world.server.account('free'));
    expectErrorAnswer(await send('PUT', `/domains/${NAME}`, {}, { key }), 'forbidden');
    await changePlan(core, account, 'pro');
    expect(await plan()).toBe('pro');
    const { deployment } = await world.publish(HOME, { key });
    await world.serveAt(NAME, deployment, key);
    expect((await open()).text).toBe(HOME['index.html']);
  });

  it('rule 2: "When it is a downgrade, then it takes effect at the end of the billing period."', async () => {
    const { outcome, due } = await changePlan(core, account, 'free');
    expect(outcome).toBe('scheduled');
    const left = (due!.getTime() - Date.now()) / 1000;
    expect(left).toBeGreaterThan(27 * DAY_SECONDS);
    await world.later(left - 60, () => applyDuePlanChanges(core));
    expect([await plan(), (await open()).status]).toEqual(['pro', 200]);
    await world.later(MONTH_SECONDS, () => applyDuePlanChanges(core));
    expect(await plan()).toBe('free');
  });

  it('Domain, `paused`, and rule 3: "A custom domain that the account\'s plan no longer covers after a downgrade is paused, not deleted. Its DNS is kept"', async () => {
    expect(await domain()).toMatchObject({ domain: NAME, status: 'paused', deployment: expect.any(String) });
    expect(await records()).toMatchObject({ domain: NAME, records: [{ type: 'CNAME', name: NAME }] });
    const page = await open();
    expect([page.status, Number(page.headers['retry-after']) >= 1, page.text.includes('paused')]).toEqual([
      503,
      true,
      true,
    ]);
    expect(page.text).not.toContain('Home');
    const { deployment } = await domain();
    expect((await world.visit(`https://${deployment}.${PLATFORM_DOMAIN}/`)).status).toBe(200);
  });

  it('Domain, `paused`: "and it serves again after an upgrade."', async () => {
    const before = await records();
    await changePlan(core, account, 'pro');
    expect(await domain()).toMatchObject({ status: 'success' });
    expect(await records()).toEqual(before);
    expect(await open()).toMatchObject({ status: 200, text: HOME['index.html'] });
  });
});

describe('api §2: "When an operation is refused because a resource\'s state does not allow it, then the status is 422."', () => {
  const name = `held.${PLATFORM_DOMAIN}`;
  let site: string;
  beforeAll(async () => {
    site = (await world.publish()).deployment;
    await send('PUT', `/domains/${name}`, { deployment: site });
  });

  it.each<[string, () => Promise<Answer>]>([
    ['deleting a deployment that a domain points at', () => send('DELETE', `/deployments/${site}`)],
    ['asking for the DNS of a domain that needs none', () => send('GET', `/domains/${name}/dns`)],
    ['verifying a domain that needs no verification', () => send('POST', `/domains/${name}/verify`)],
    ['taking a domain of another account', () => send('PUT', `/domains/${name}`, {}, { key: world.theirs.key })],
    [
      'linking a deployment that is being deleted',
      async () => {
        const { deployment } = await world.publish();
        await send('DELETE', `/deployments/${deployment}`);
        return send('PUT', `/domains/${name}`, { deployment });
      },
    ],
    [
      'labelling a deployment that is being deleted',
      async () => {
        const { deployment } = await world.publish();
        await send('DELETE', `/deployments/${deployment}`);
        return send('PATCH', `/deployments/${deployment}`, { labels: [] });
      },
    ],
    [
      'linking a deployment that expires',
      async () => {
        const { deployment } = await world.publish(HOME, { fields: { ttl: '60' } });
        return send('PUT', `/domains/${name}`, { deployment });
      },
    ],
  ])('%s', async (_, ask) => {
    expectErrorAnswer(await ask(), 'business_logic_error');
    expect((await world.visit(`https://${name}/`)).status).toBe(200);
  });
});
