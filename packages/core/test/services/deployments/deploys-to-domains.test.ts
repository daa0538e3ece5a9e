import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { ANONYMOUS, createTestCore, deploySite, refusal, refusals } from '@berth/testing/core';
import { expectSound, stateOf } from '@berth/testing/invariants';
import { publishDelta, uploadAll } from '@berth/testing/uploads';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { AccountCaller, Caller } from '../../../src/core.ts';
import { listActivities } from '../../../src/services/activities/activities.ts';
import { addToken } from '../../../src/services/accounts/tokens.ts';
import { authenticate } from '../../../src/services/authentication.ts';
import { beginDeploy } from '../../../src/services/deployments/deploy.ts';
import { getDeployment, updateDeployment } from '../../../src/services/deployments/deployments.ts';
import { deleteDomain, getDomain } from '../../../src/services/domains/domains.ts';
import { putDomain } from '../../../src/services/domains/put-domain.ts';
import { commitUpload } from '../../../src/services/uploads/commit-upload.ts';

const test = await createTestCore();
const { core } = test;
let caller: AccountCaller;
let otherCaller: AccountCaller;
beforeEach(async () => {
  ({ caller } = await test.account('team'));
  ({ caller: otherCaller } = await test.account('team'));
});
afterAll(async () => {
  await expectSound(test);
  await test.close();
});

let serial = 0;
const freshName = () => `shop-${(serial += 1)}.sites.test`;
const freshSite = () => ({ 'index.html': randomUUID() });
const scope = () => ({ core, caller });
const shownBy = async (domain: string, owner = caller) => (await getDomain({ core, caller: owner }, domain)).deployment;
const PASSWORD = 'open sesame';

interface Options {
  domain?: string;
  keep?: number;
  open?: boolean;
  password?: string | null;
  ttl?: number;
}
async function tokenFor(domains: string[], keep?: number): Promise<AccountCaller> {
  const { secret } = await addToken(scope(), { kind: 'deploy', domains, keep });
  return (await authenticate(core, `Bearer ${secret}`, '127.0.0.1')) as AccountCaller;
}
async function multipart(options: Options, by: Caller = caller, key?: string) {
  const fields = Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, String(Number(value) || value)]),
  );
  const { body } = await deploySite(core, by, freshSite(), { fields, ...(key && { key }) });
  return body;
}
const delta = (options: Options, by: Caller = caller) => publishDelta(core, by, freshSite(), options);

const WAYS: [string, (options: Options, by?: Caller) => ReturnType<typeof delta>][] = [
  ['a multipart deploy', multipart],
  ['a delta upload', delta],
];

describe.each(WAYS)('api §3: %s with a domain', (_, deploy) => {
  it('creates the domain and points it at the deployment', async () => {
    const domain = freshName();
    const { deployment } = await deploy({ domain: `${domain.toUpperCase()}.` });
    expect(await getDomain(scope(), domain)).toMatchObject({ domain, deployment, status: 'success', links: 1 });
    const custom = `www.shop-${(serial += 1)}.dev`;
    await deploy({ domain: custom });
    expect(await getDomain(scope(), custom)).toMatchObject({ status: 'pending', links: 1 });
  });

  it('switches the domain if it exists, and records both changes', async () => {
    const domain = freshName();
    const { deployment: previous } = await deploy({ domain });
    const { deployment } = await deploy({ domain });
    expect(await getDomain(scope(), domain)).toMatchObject({ deployment, links: 2 });
    const { activities } = await listActivities(scope(), { limit: 2 });
    expect(activities).toMatchObject([
      { event: 'domain.update', domain, deployment, meta: { previous } },
      { event: 'deployment.create', deployment },
    ]);
  });

  it.each([
    [
      'a name of another account',
      422,
      async () => {
        const domain = freshName();
        await putDomain({ core, caller: otherCaller }, domain, {});
        return { domain };
      },
    ],
    ['a reserved name', 400, () => ({ domain: 'www.sites.test' })],
    ['a text that is not a name', 400, () => ({ domain: 'no name' })],
    ['a ttl', 422, () => ({ domain: freshName(), ttl: 60 })],
    ['keep without a domain', 400, () => ({ keep: 3 })],
    ['open and a password', 400, () => ({ domain: freshName(), open: true, password: PASSWORD })],
    [
      'a name beyond the cap of the plan',
      403,
      async () => {
        ({ caller } = await test.account('free'));
        for (let i = 0; i < 5; i += 1) await putDomain(scope(), freshName(), {});
        return { domain: freshName() };
      },
    ],
  ])('is refused for %s with %i, and changes nothing', async (__, status, prepare) => {
    const options = await prepare();
    const before = await stateOf(test);
    expect(await refusal(deploy(options))).toMatchObject({ status });
    expect(await stateOf(test)).toEqual(before);
  });

  it.each([
    ['without a credential', () => ANONYMOUS, 'needs a credential'],
    ['with a deploy token', () => test.deployToken(caller), 'cannot use this domain'],
    ['with a deploy token that is limited to another domain', () => tokenFor([freshName()]), 'cannot use this domain'],
  ])('is refused %s, and changes nothing', async (__, callerOf, message) => {
    const by = await callerOf();
    const before = await stateOf(test);
    const error = await refusal(deploy({ domain: freshName() }, by));
    expect(error).toMatchObject({ status: 403, message: expect.stringContaining(message) });
    expect(await stateOf(test)).toEqual(before);
  });

  it.each([
    ['gets the password of the deployment that the domain shows', {}, true],
    ['is public with open', { open: true }, false],
    ['gets its own password', { password: 'another one' }, true],
  ])('api §3: %s', async (__, options, isProtected) => {
    const domain = freshName();
    const { deployment: shown } = await deploy({ domain, password: PASSWORD });
    const { deployment, password } = await deploy({ domain, ...options });
    expect(password).toBe(isProtected);
    const [shownHash, hash] = await passwordHashes(shown, deployment);
    expect(hash === shownHash).toBe(Object.keys(options).length === 0);
  });

  it('gets no password if the domain shows a public site, or if only another domain shows a protected one', async () => {
    const domain = freshName();
    await deploy({ domain: freshName(), password: PASSWORD });
    expect(await deploy({ domain })).toMatchObject({ password: false });
    expect(await deploy({ domain })).toMatchObject({ password: false });
  });

  it('api §5: can be sent with a deploy token that is limited to the domain, which can read the domain, but not open it', async () => {
    const domain = freshName();
    await deploy({ domain, password: PASSWORD });
    const token = await tokenFor([freshName(), domain]);
    const { deployment, password } = await deploy({ domain }, token);
    expect(password).toBe(true);
    expect(await getDomain({ core, caller: token }, domain)).toMatchObject({ deployment });
    for (const refused of [{ domain, open: true }, { open: true }])
      expect(await refusal(deploy(refused, token))).toMatchObject({ status: 403 });
    expect(await refusal(getDomain({ core, caller: token }, freshName()))).toMatchObject({ status: 403 });
  });
});

async function passwordHashes(...ids: string[]): Promise<unknown[]> {
  const rows = await test.database.query<{ id: string; hash: string }>(
    'select id, password_hash as hash from deployment where id = any($1)',
    [ids],
  );
  return ids.map((id) => rows.find((row) => row.id === id)?.hash);
}

describe('api §9: a delta upload with a domain', () => {
  it('cannot use the password null with a deploy token', async () => {
    const domain = freshName();
    const token = await tokenFor([domain]);
    expect(await refusal(delta({ domain, password: null }, token))).toMatchObject({ status: 403 });
  });

  it('gets the password that the domain has at the commit, or else the password of the base', async () => {
    const domain = freshName();
    const { deployment: base } = await delta({ domain, password: PASSWORD });
    const begun = async () =>
      (await uploadAll(core, caller, {}, { files: undefined, base, put: [], remove: [], domain })).upload;
    const [whileProtected, whileReplaced, whileOpen] = [await begun(), await begun(), await begun()];
    const committed = async (upload: string) => (await commitUpload(scope(), upload)).deployment;

    const first = await committed(whileProtected);
    await updateDeployment(scope(), first, { password: 'a new password' });
    const second = await committed(whileReplaced);
    await updateDeployment(scope(), second, { password: null });
    const third = await committed(whileOpen);
    const [baseHash, firstHash, secondHash, thirdHash] = await passwordHashes(base, first, second, third);
    expect(secondHash).toBeNull();
    expect(firstHash).not.toBe(baseHash);
    expect(thirdHash).toBe(baseHash);
    expect(await getDeployment(scope(), third)).toMatchObject({ password: true });
  });

  it('is not committed with a deploy token that cannot use the domain', async () => {
    const { upload } = await uploadAll(core, caller, freshSite(), { domain: freshName() });
    const before = await stateOf(test);
    const by = await test.deployToken(caller);
    expect(await refusal(commitUpload({ core, caller: by }, upload))).toMatchObject({ status: 403 });
    expect(await stateOf(test)).toMatchObject({ ...before, token: expect.any(Number), activity: expect.any(Number) });
  });
});

describe('api §3: a domain that is refused early', () => {
  it('ends a multipart deploy before all of its files have arrived', async () => {
    const domain = freshName();
    await putDomain({ core, caller: otherCaller }, domain, {});
    const deploy = await beginDeploy(scope(), null);
    deploy.form.add('domain', domain);
    const sink = deploy.files.begin('endless.bin');
    const sendEndlessly = async () => {
      for (;;) {
        await sink.write(Buffer.alloc(1024));
        await setImmediate();
      }
    };
    expect(await refusal(sendEndlessly())).toMatchObject({ code: 'business_logic_error' });
    await deploy.close();
  });

  it('is refused as soon as the field arrives if the credential cannot use it', async () => {
    const deploy = await beginDeploy({ core, caller: await test.deployToken(caller) }, null);
    expect(() => deploy.form.add('domain', freshName())).toThrow('cannot use this domain');
    await deploy.close();
  });
});

describe('api §3: a repeated deploy with a domain and an Idempotency-Key', () => {
  it('gets the same answer, and does not point the domain again', async () => {
    const domain = freshName();
    const site = freshSite();
    const send = () => deploySite(core, caller, site, { key: 'same', fields: { domain } });
    const { body } = await send();
    const { deployment: later } = await multipart({ domain });
    expect(await send()).toMatchObject({ body, replayed: true });
    expect(await shownBy(domain)).toBe(later);
    await deleteDomain(scope(), domain);
    await putDomain({ core, caller: otherCaller }, domain, {});
    expect(await send()).toMatchObject({ body, replayed: true });
  });

  it('is refused with another domain', async () => {
    const site = freshSite();
    const send = (domain: string) => deploySite(core, caller, site, { key: 'used', fields: { domain } });
    await send(freshName());
    expect(await refusal(send(freshName()))).toMatchObject({ details: { state: 'idempotency_key_used' } });
  });
});

describe('storage L6: concurrent deploys to one domain', () => {
  it.each(WAYS)(
    'all succeed if they are sent as %s, and the domain shows the deployment that was linked last',
    async (_, deploy) => {
      const domain = freshName();
      const published = await Promise.all(Array.from({ length: 12 }, () => deploy({ domain })));
      const row = await getDomain(scope(), domain);
      expect(published.map(({ deployment }) => deployment)).toContain(row.deployment);
      expect(row.links).toBe(12);
      const { activities } = await listActivities(scope(), { limit: 1 });
      expect(activities).toMatchObject([{ domain, deployment: row.deployment }]);
    },
  );

  it('end consistent while the domain is switched and deleted', async () => {
    const domain = freshName();
    const { deployment } = await multipart({});
    const calls = Array.from({ length: 8 }, () => [
      multipart({ domain }),
      delta({ domain }),
      putDomain(scope(), domain, { deployment }),
      deleteDomain(scope(), domain),
    ]).flat();
    for (const error of await refusals(calls)) expect(error).toMatchObject({ code: 'not_found' });
    const { activities } = await listActivities(scope(), { limit: 100 });
    const last = activities.find((activity) => activity.domain === domain);
    if (last?.event === 'domain.delete')
      expect(await refusal(getDomain(scope(), domain))).toMatchObject({ status: 404 });
    else expect(await shownBy(domain)).toBe(last?.deployment ?? deployment);
  });

  it('of two accounts: exactly one gets a platform domain, and the others publish nothing', async () => {
    for (let round = 0; round < 5; round += 1) {
      const domain = freshName();
      const callers = [caller, otherCaller];
      const before = await deploymentCounts(callers);
      const outcomes = await Promise.allSettled(
        callers.flatMap((by) => [multipart({ domain }, by), delta({ domain }, by)]),
      );
      const winner = callers[outcomes.findIndex(({ status }) => status === 'fulfilled') < 2 ? 0 : 1]!;
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual([
        'fulfilled',
        'fulfilled',
        'rejected',
        'rejected',
      ]);
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'business_logic_error' });
      const after = await deploymentCounts(callers);
      expect(after.map((count, i) => count - before[i]!)).toEqual(callers.map((by) => (by === winner ? 2 : 0)));
      expect(await shownBy(domain, winner)).not.toBeNull();
    }
  });
});

async function deploymentCounts(callers: readonly AccountCaller[]): Promise<number[]> {
  return Promise.all(
    callers.map(async ({ account }) => {
      const [row] = await test.database.query<{ count: number }>(
        'select deployment_count as count from account where id = $1',
        [account],
      );
      return row!.count;
    }),
  );
}
