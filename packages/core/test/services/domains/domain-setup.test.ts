import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../../src/core.ts';
import { checkDomainSetup, findDomainSetup } from '../../../src/services/domains/domain-setup.ts';
import { createDomainWorld } from './domain-world.ts';

const world = await createDomainWorld();
const { test, server, alice, add, rowOf, point, nextName } = world;
beforeEach(() => world.clear());
afterAll(() => world.close());

describe('api §4: the page of a share link', () => {
  const setupOf = async (caller: AccountCaller, name: string) => {
    const { shareHash } = await rowOf(caller, name);
    return { hash: shareHash!, setup: (await findDomainSetup(test.core, shareHash!))! };
  };

  it('shows the records with their state, the provider and its steps, and nothing of the account', async () => {
    const base = nextName();
    const name = await add(alice, `www.${base}`);
    server.zone.set(base, { NS: ['ns1.hover.com'] });
    const { hash, setup } = await setupOf(alice, name);
    expect(setup).toMatchObject({
      domain: name,
      status: 'pending',
      provider: 'Hover',
      checked: null,
      waitSeconds: 0,
      records: [{ type: 'CNAME', name, relative: 'www', state: 'unseen', reason: null }],
    });
    expect(JSON.stringify(setup)).not.toContain(alice.account);
    const now = test.core.now();
    const core = { ...test.core, now: () => now };
    expect(await checkDomainSetup(core, hash)).toBe(true);
    expect((await findDomainSetup(core, hash))!).toMatchObject({
      records: [{ state: 'missing', reason: expect.stringMatching(/^There is no such name/) }],
      checked: now,
      waitSeconds: 10,
    });
    await point(alice, name);
    // Within the cooldown there is no check.
    await checkDomainSetup(core, hash);
    expect((await setupOf(alice, name)).setup.status).toBe('pending');
    test.advance(10);
    await checkDomainSetup(test.core, hash);
    expect((await setupOf(alice, name)).setup).toMatchObject({
      status: 'success',
      records: [{ state: 'found', reason: null }],
    });
  });

  it('shows the records of an apex as @ and by the short name', async () => {
    const name = await add(alice, nextName());
    const { setup } = await setupOf(alice, name);
    expect(setup.records.map(({ type, relative }) => `${type} ${relative}`)).toEqual(['A @', 'AAAA @', 'TXT _berth']);
  });

  it.each(['', 'x', '0'.repeat(32), '0'.repeat(31), "0' or 1=1", '%00'])(
    'does not exist for a link with %j',
    async (hash) => {
      expect(await findDomainSetup(test.core, hash)).toBeNull();
      expect(await checkDomainSetup(test.core, hash)).toBe(false);
    },
  );

  it('proves nothing for an account that is suspended', async () => {
    const { caller } = await test.account('pro');
    const name = await add(caller, nextName());
    const { hash } = await setupOf(caller, name);
    await point(caller, name);
    await test.database.query(`update account set state = 'suspended' where id = '${caller.account}'`);
    expect(await checkDomainSetup(test.core, hash)).toBe(true);
    expect((await rowOf(caller, name)).status).toBe('pending');
  });

  it('does not exist once the account is terminated', async () => {
    const { caller } = await test.account('pro');
    const name = await add(caller, nextName());
    const { hash } = await setupOf(caller, name);
    await test.database.query(`update account set state = 'terminated' where id = '${caller.account}'`);
    expect(await findDomainSetup(test.core, hash)).toBeNull();
  });
});
