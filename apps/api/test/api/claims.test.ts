import { Deployment } from '@berth/contract';
import { expectRefusal } from '@berth/testing/expectations';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';

const UNKNOWN = '0123456789abcdef0123456789abcdef';

const server = useServer({ clean: true });
let key: string;
let deployToken: string;
beforeAll(async () => {
  ({ key, deployToken } = await server().account('pro'));
});

const send = (path: string, value: unknown, credential: string | null) =>
  server().api(path, {
    method: 'POST',
    key: credential,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ claim: value }),
  });
const claim = (value: unknown, credential: string | null = key) => send('/account/claim', value, credential);
const claimTyped = (value: unknown, credential: string | null = key) => send('/trpc/account.claim', value, credential);
async function publish() {
  const { claim, ...deployment } = await server().publish({ 'index.html': 'hello' }, { key: null });
  return { ...deployment, claim: claim!, hash: claim!.split('/').at(-1)! };
}

describe('api §6: POST /account/claim', () => {
  it.each<[string, (site: { hash: string; claim: string }) => string]>([
    ['the hash', ({ hash }) => hash],
    ['the whole claim URL', ({ claim }) => claim],
    ['the URL as it was pasted', ({ claim }) => ` ${claim}/\n`],
  ])('takes %s and answers with the deployment, which is permanent then', async (_, written) => {
    const site = await publish();
    const answer = await claim(written(site));
    expect(answer.status).toBe(200);
    const claimed = Deployment.strict().parse(answer.json());
    expect(claimed).toMatchObject({ deployment: site.deployment, url: site.url, created: site.created });
    for (const name of ['claim', 'expires']) expect(claimed).not.toHaveProperty(name);
    expect((await server().api(`/deployments/${site.deployment}`, { key })).json()).toEqual(claimed);
    const [listed] = (await server().api('/deployments', { key })).json<{ deployments: Deployment[] }>().deployments;
    expect(listed).toEqual(claimed);
    const visit = await server().visit(site.url);
    expect([visit.status, visit.headers['x-robots-tag']]).toEqual([200, undefined]);
  });

  it('updates usage and the audit log', async () => {
    const { key } = await server().account();
    const { hash, deployment } = await publish();
    await claim(hash, key);
    expect((await server().api('/account', { key })).json()).toMatchObject({ usage: { deployments: 1 } });
    const [entry] = (await server().api('/activities', { key })).json<{ activities: object[] }>().activities;
    expect(entry).toMatchObject({ event: 'deployment.claim', deployment, authMethod: 'api-key' });
  });

  it('api §6: a repeat by the winner is 200, by any other account 404, over REST and tRPC', async () => {
    const { key: other } = await server().account();
    const { hash } = await publish();
    const first = (await claim(hash)).json();
    expect((await claim(hash)).json()).toEqual(first);
    expect((await claimTyped(hash)).json()).toMatchObject({ result: { data: first } });
    await expectRefusal(server(), 'not_found', () => claim(hash, other));
    expect((await claimTyped(hash, other)).status).toBe(404);
  });

  it('T24: over the cap is 403 with details, and the deployment stays claimable', async () => {
    const { account, key: full } = await server().account();
    await server().database.query('update account set deployment_count = 100 where id = $1', [account]);
    const { hash } = await publish();
    const { details } = await expectRefusal(server(), 'forbidden', () => claim(hash, full));
    expect(details).toEqual({ cap: 'deployments', used: 100, limit: 100 });
    expect((await claim(hash)).status).toBe(200);
    await server().database.query('update account set deployment_count = 0 where id = $1', [account]);
  });

  it.each<[unknown]>([
    [undefined],
    [null],
    [5],
    [''],
    ['x'],
    [UNKNOWN.toUpperCase()],
    [`${UNKNOWN}0`],
    [{ $ne: null }],
    [[UNKNOWN]],
    [`https://evil.test/claim/${UNKNOWN}`],
    ['a'.repeat(3_000)],
  ])('with %j is 400, over REST and tRPC', async (value) => {
    const { details } = await expectRefusal(server(), 'validation_failed', () => claim(value));
    expect(details).toEqual({ issues: [{ path: 'claim', message: expect.any(String) }] });
    const typed = await claimTyped(value);
    expect([typed.status, typed.json<{ error: { data: object } }>().error.data]).toMatchObject([400, { details }]);
  });

  it('without a credential is 401, with a deploy token 403, and claims nothing', async () => {
    const { hash } = await publish();
    await expectRefusal(server(), 'authentication_failed', () => claim(hash, null));
    await expectRefusal(server(), 'forbidden', () => claim(hash, deployToken));
    expect((await claim(hash)).status).toBe(200);
  });

  it('api §3: does not change the replay of the stored 201 of the deploy', async () => {
    const deploy = () =>
      server().deploy({ 'index.html': 'again' }, { key: null, headers: { 'Idempotency-Key': 'claimed-later' } });
    const first = await deploy();
    expect((await claim(first.json<{ claim: string }>().claim)).status).toBe(200);
    expect((await deploy()).text).toBe(first.text);
  });
});
