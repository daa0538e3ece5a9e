import { MAX_LISTED_LABELS } from '@berth/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { ANONYMOUS, useTestCore, deploySite } from '@berth/testing/core';
import type { AccountCaller } from '../../src/core.ts';
import { claimDeployment } from '../../src/services/deployments/claims.ts';
import { deleteDeployment, updateDeployment } from '../../src/services/deployments/deployments.ts';
import { listLabels } from '../../src/services/labels.ts';
import { addToken, deleteToken } from '../../src/services/accounts/tokens.ts';

let caller: AccountCaller;
const test = await useTestCore();
beforeEach(async () => void ({ caller } = await test.account('pro')));

const scope = () => ({ core: test.core, caller });
const labels = async () => (await listLabels(scope())).labels;
/** Creates a deployment one second after the previous resource. */
async function deploy(list: string[], fields: Record<string, string> = {}): Promise<string> {
  test.advance(1);
  const options = { fields: { labels: JSON.stringify(list), ...fields } };
  return (await deploySite(test.core, caller, { a: '1' }, options)).body.deployment;
}
async function token(list: string[]): Promise<string> {
  test.advance(1);
  return (await addToken(scope(), { kind: 'deploy', labels: list })).token;
}
async function domain(name: string, list: string[]): Promise<void> {
  test.advance(1);
  await test.database.query(
    `insert into domain (account_id, name, kind, status, labels, created, checks)
     values ($1, $2, 'platform', 'success', $3, $4, '[]')`,
    [caller.account, name, list, test.core.now()],
  );
}

describe('api §6: GET /labels', () => {
  it('lists each label of deployments, domains and tokens once, the most recently used first', async () => {
    expect(await labels()).toEqual([]);
    await deploy(['old', 'both']);
    await token(['token', 'both']);
    await domain('one', ['domain']);
    expect(await labels()).toEqual(['domain', 'both', 'token', 'old']);
    await deploy(['old']);
    expect(await labels()).toEqual(['old', 'domain', 'both', 'token']);
  });

  it('lists only labels that a resource has at the moment', async () => {
    const [first, second] = [await deploy(['one']), await deploy(['two'])];
    const thirdToken = await token(['three']);
    await deploy(['four'], { ttl: '1' });
    expect(await labels()).toEqual(['four', 'three', 'two', 'one']);
    test.advance(1);
    expect(await labels()).toEqual(['three', 'two', 'one']);
    await deleteDeployment(scope(), second);
    await deleteToken(scope(), thirdToken);
    expect(await labels()).toEqual(['one']);
    await updateDeployment(scope(), first, { labels: ['new'] });
    expect(await labels()).toEqual(['new']);
  });

  it('counts a claim of a deployment as a use of its labels', async () => {
    const { body } = await deploySite(test.core, ANONYMOUS, { a: '1' }, { fields: { labels: '["found"]' } });
    await deploy(['own']);
    expect(await labels()).toEqual(['own']);
    test.advance(1);
    await claimDeployment(scope(), body.claim!);
    expect(await labels()).toEqual(['found', 'own']);
  });

  it('T22: does not list labels of other accounts', async () => {
    await deploy(['mine']);
    await token(['mine-too']);
    await domain('two', ['mine-three']);
    ({ caller } = await test.account());
    expect(await labels()).toEqual([]);
  });

  it('lists only the 1,000 labels that were used most recently', async () => {
    await test.database.query(
      `insert into token (account_id, token, kind, secret_hash, last4, labels, created)
       select $1, 'x' || lpad(n::text, 6, '0'), 'deploy', sha256(($1 || n)::bytea), '0000',
         array(select 'label-' || (n * 10 + i) from generate_series(0, 9) i), now() + n * interval '1 s'
       from generate_series(0, 104) n`,
      [caller.account],
    );
    const listedLabels = await labels();
    expect(listedLabels).toHaveLength(MAX_LISTED_LABELS);
    expect(listedLabels[0]).toBe('label-1040');
    expect(listedLabels).not.toContain('label-49');
    expect(listedLabels).toContain('label-50');
  });
});
