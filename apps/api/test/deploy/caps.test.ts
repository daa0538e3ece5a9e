import { expectRefusal } from '@berth/testing/expectations';
import type { Answer } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';

const CAP = 5;
const HOME = { 'index.html': 'home' };

const server = useServer({
  plans: { free: { caps: { deployments: CAP } }, pro: { caps: { deployments: 0 } } },
  clean: true,
});

const used = async (key: string) =>
  (await server().api('/account', { key })).json<{ usage: { deployments: number } }>().usage.deployments;
const FULL = { cap: 'deployments', used: CAP, limit: CAP };

async function expectCap(ask: () => Promise<Answer>, details: object = FULL): Promise<void> {
  expect((await expectRefusal(server(), 'forbidden', ask)).details).toEqual(details);
}

describe('T26: a reached cap', () => {
  it('is 403 with its details, with and without an Idempotency-Key, for every credential of the account', async () => {
    const { key, deployToken } = await server().account();
    for (let i = 0; i < CAP; i += 1) await server().publish({ 'index.html': `${i}` }, { key });
    for (const credential of [key, deployToken]) {
      await expectCap(() => server().deploy(HOME, { key: credential }));
      await expectCap(() => server().deploy(HOME, { key: credential, headers: { 'Idempotency-Key': 'k' } }));
      await expectCap(() => server().deploy({ new: 'bytes that are not stored yet' }, { key: credential }));
    }
    expect(await used(key)).toBe(CAP);
  });

  it('may be a cap of zero', async () => {
    const { key } = await server().account('pro');
    await expectCap(() => server().deploy(HOME, { key }), { cap: 'deployments', used: 0, limit: 0 });
  });

  it('does not affect another account, anonymous deploys, or a plan without caps', async () => {
    await server().publish(HOME, { key: (await server().account()).key });
    for (let i = 0; i <= CAP; i += 1) {
      await server().publish(HOME, { key: null });
      await server().publish(HOME);
    }
  });
});
