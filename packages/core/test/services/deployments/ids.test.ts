import { DEPLOYMENT_ID, TOKEN_ID } from '@berth/contract';
import { afterAll, describe, expect, it } from 'vitest';
import { deleteDeployment } from '../../../src/services/deployments/deployments.ts';
import { randomDeploymentId, randomSecret, randomSuffix } from '../../../src/services/random.ts';
import { ADJECTIVES, NOUNS } from '../../../src/services/id-words.ts';
import { createTestCore, deploySite } from '@berth/testing/core';
import { sweepAll } from '@berth/testing/invariants';

const test = await createTestCore();
const { caller } = await test.account('scale');
afterAll(() => test.close());

const issued = async () => (await test.database.query<{ id: string }>('select id from issued_id')).map(({ id }) => id);

describe('api §1: the generated ids', () => {
  it('of deployments are valid DNS labels of two words and 7 characters, for all words of the lists', () => {
    for (const adjective of ADJECTIVES)
      for (const noun of NOUNS) expect(`${adjective}-${noun}-4k9x2qd`).toMatch(DEPLOYMENT_ID);
    const longestWords = [ADJECTIVES, NOUNS].map((words) => Math.max(...words.map(({ length }) => length)));
    expect(longestWords[0]! + longestWords[1]! + 9).toBeLessThanOrEqual(63);
    expect(new Set(ADJECTIVES).size).toBe(ADJECTIVES.length);
    expect(new Set(NOUNS).size).toBe(NOUNS.length);
  });

  it('do not repeat within 5,000 ids', () => {
    for (const make of [randomDeploymentId, randomSuffix, randomSecret])
      expect(new Set(Array.from({ length: 5_000 }, make)).size).toBe(5_000);
  });

  it('have every character of a to z and 0 to 9 equally often', () => {
    const letterCounts = new Map<string, number>();
    for (let i = 0; i < 6_000; i += 1)
      for (const character of randomSuffix()) letterCounts.set(character, (letterCounts.get(character) ?? 0) + 1);
    expect(letterCounts.size).toBe(36);
    // Each of the 36 characters is expected 1,167 times, with a standard deviation of 34.
    for (const count of letterCounts.values()) expect(Math.abs(count - 42_000 / 36)).toBeLessThan(34 * 6);
    expect(randomSuffix()).toMatch(TOKEN_ID);
    expect(randomSecret()).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('T15, I5: the id of a deployment', () => {
  it('stays reserved after the deployment was deleted and swept', async () => {
    const { body } = await deploySite(test.core, caller, { a: '1' });
    await deleteDeployment({ core: test.core, caller }, body.deployment);
    await sweepAll(test);
    expect(await test.database.query('select 1 from deployment where id = $1', [body.deployment])).toEqual([]);
    expect(await issued()).toContain(body.deployment);
    const insertUsedId = test.database.query('insert into issued_id (id) values ($1)', [body.deployment]);
    await expect(insertUsedId).rejects.toMatchObject({ code: '23505' });
  });

  it('is generated again if it was issued before', async () => {
    // The trigger rejects the first two ids of each deploy, as if they were issued before.
    await test.database.query(`
      create sequence draws;
      create function seem_issued() returns trigger language plpgsql as $$
      begin return case when nextval('draws') % 3 = 0 then new else null end; end $$;
      create trigger seem_issued before insert on issued_id for each row execute function seem_issued()`);
    const { body } = await deploySite(test.core, caller, { a: '1' });
    await test.database.query('drop function seem_issued cascade');
    expect(await test.database.query(`select last_value::int as draws from draws`)).toEqual([{ draws: 3 }]);
    expect(await issued()).toContain(body.deployment);
  });

  it('is released if the deploy is refused, because no client has seen the id', async () => {
    const issuedBefore = await issued();
    const refusedDeploy = deploySite(test.core, { ...caller, account: 'acc-missing' }, { a: '1' }, { key: 'k' });
    await expect(refusedDeploy).rejects.toMatchObject({ code: 'forbidden' });
    expect(await issued()).toEqual(issuedBefore);
  });
});
