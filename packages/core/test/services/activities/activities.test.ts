import { Activity } from '@berth/contract';
import { ANONYMOUS, createTestCore, deploySite, type TestCore } from '@berth/testing/core';
import { stateOf, sweepAll } from '@berth/testing/invariants';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../../src/core.ts';
import { insertApiKey } from '../../../src/services/accounts/accounts.ts';
import { listActivities } from '../../../src/services/activities/activities.ts';
import { deleteDeployment, updateDeployment } from '../../../src/services/deployments/deployments.ts';

const SITE = { 'index.html': 'hello' };

let test: TestCore;
let caller: AccountCaller;
let key: string;
beforeAll(async () => {
  test = await createTestCore();
});
afterAll(() => test.close());
beforeEach(async () => {
  ({ caller, key } = await test.account());
});

const scope = () => ({ core: test.core, caller });
const all = async () => (await listActivities(scope(), { limit: 100 })).activities;

/** Makes every insert into the audit log fail while `work` runs. */
async function withoutLog(work: () => Promise<void>): Promise<void> {
  await test.database.query(
    `create function no_log() returns trigger language plpgsql as $$ begin raise exception 'no log'; end $$`,
  );
  await test.database.query('create trigger no_log before insert on activity for each row execute function no_log()');
  try {
    await work();
  } finally {
    await test.database.query('drop function no_log cascade');
  }
}

describe('api §6: the audit log', () => {
  it('lists activities, newest first, with the names of the contract', async () => {
    const { body } = await deploySite(test.core, caller, { a: '12', b: '3' }, { fields: { via: 'cli' } });
    await updateDeployment(scope(), body.deployment, { labels: ['one'] });
    await deleteDeployment(scope(), body.deployment);
    const entries = await all();
    const common = { created: expect.any(Number), authMethod: 'api-key', deployment: body.deployment };
    expect(entries).toEqual([
      { ...common, event: 'deployment.delete', meta: {} },
      { ...common, event: 'deployment.update', meta: { labels: ['one'] } },
      { ...common, event: 'deployment.create', meta: { files: 2, size: 3, via: 'cli' } },
      {
        event: 'account.key.generate',
        created: expect.any(Number),
        authMethod: 'operator',
        token: caller.token,
        meta: {},
      },
      {
        event: 'account.create',
        created: expect.any(Number),
        authMethod: 'operator',
        meta: { email: expect.any(String), plan: 'free' },
      },
    ]);
    for (const entry of entries) expect(Activity.parse(entry)).toEqual(entry);
  });

  it('shows an account only its own entries', async () => {
    const { caller: other } = await test.account();
    await deploySite(test.core, other, SITE);
    await deploySite(test.core, ANONYMOUS, SITE);
    expect((await all()).map(({ event }) => event)).toEqual(['account.key.generate', 'account.create']);
  });

  it('contains the kind of the credential', async () => {
    await deploySite(test.core, { ...caller, credential: 'deploy', authMethod: 'deploy-token' }, SITE);
    expect((await all())[0]).toMatchObject({ event: 'deployment.create', authMethod: 'deploy-token' });
  });

  it('is paginated by a cursor', async () => {
    for (let i = 0; i < 4; i += 1) await deploySite(test.core, caller, SITE);
    const events: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listActivities(scope(), { limit: 2, ...(cursor ? { cursor } : {}) });
      expect(page.activities.length).toBeLessThanOrEqual(2);
      events.push(...page.activities.map(({ event }) => event));
      cursor = page.nextCursor;
    } while (cursor);
    expect(events).toEqual([
      ...Array.from({ length: 4 }, () => 'deployment.create'),
      'account.key.generate',
      'account.create',
    ]);
  });

  it('I11: contains no secret: no key, password or claim', async () => {
    await deploySite(test.core, caller, SITE, {
      fields: { password: 'correct horse', labels: '["one"]' },
      key: 'an idempotency key',
    });
    const secret = await test.core.database.transaction(async (em) => insertApiKey(em, test.core, caller.account));
    const log = JSON.stringify(await test.database.query('select * from activity'));
    for (const text of ['correct horse', 'an idempotency key', 'argon2', key, key.slice(5), secret, secret.slice(5)])
      expect(log).not.toContain(text);
  });
});

describe('api §6: an activity and the change it records are one transaction, so', () => {
  it('a deploy, change or delete fails if it cannot be recorded', async () => {
    const { body } = await deploySite(test.core, caller, SITE);
    const before = await stateOf(test);
    await withoutLog(async () => {
      await expect(deploySite(test.core, caller, { other: 'bytes' })).rejects.toThrow('no log');
      await expect(updateDeployment(scope(), body.deployment, { labels: ['one'] })).rejects.toThrow('no log');
      await expect(deleteDeployment(scope(), body.deployment)).rejects.toThrow('no log');
    });
    expect(await stateOf(test)).toEqual(before);
    expect(await test.database.query('select labels, status from deployment where id = $1', [body.deployment])).toEqual(
      [{ labels: [], status: 'success' }],
    );
  });

  it('a deployment does not expire if that cannot be recorded', async () => {
    const { body } = await deploySite(test.core, caller, SITE, { fields: { ttl: '1' } });
    test.advance(2);
    await withoutLog(async () => {
      expect(await sweepAll(test)).toMatchObject({ expired: 0 });
    });
    expect(await test.database.query('select status from deployment where id = $1', [body.deployment])).toEqual([
      { status: 'success' },
    ]);
    await sweepAll(test);
    expect((await all())[0]).toMatchObject({
      event: 'deployment.expire',
      deployment: body.deployment,
      authMethod: 'system',
    });
  });

  it('a failed change is not recorded', async () => {
    const { body } = await deploySite(test.core, caller, SITE);
    await deleteDeployment(scope(), body.deployment);
    const before = await all();
    await deleteDeployment(scope(), body.deployment);
    await expect(updateDeployment(scope(), body.deployment, { labels: [] })).rejects.toThrow();
    await expect(deleteDeployment(scope(), 'calm-otter-0000000')).rejects.toThrow();
    await expect(deploySite(test.core, caller, SITE, { fields: { checksums: '[]' } })).rejects.toThrow();
    expect(await all()).toEqual(before);
  });
});
