import { createTestCore, deploySite, refusals } from '@berth/testing/core';
import { afterAll, describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../../src/core.ts';
import { listActivities } from '../../../src/services/activities/activities.ts';
import { deleteDeployment } from '../../../src/services/deployments/deployments.ts';
import { type DomainChange, MAX_UNVERIFIED_DOMAINS, putDomain } from '../../../src/services/domains/put-domain.ts';
import { wantedRecords } from '../../../src/services/domains/domain-records.ts';
import {
  deleteDomain,
  getDomain,
  getRecords,
  getShare,
  listDomains,
  validateDomain,
} from '../../../src/services/domains/domains.ts';

const test = await createTestCore();
const [ownCaller, otherCaller] = [(await test.account('team')).caller, (await test.account('team')).caller];
afterAll(() => test.close());

const scopeOf = (caller: AccountCaller) => ({ core: test.core, caller });
const ownScope = scopeOf(ownCaller);
const putAs = (name: string, change: DomainChange = {}, caller = ownCaller) => putDomain(scopeOf(caller), name, change);
const publish = async (caller = ownCaller, fields: Record<string, string> = {}) =>
  (await deploySite(test.core, caller, { 'index.html': 'home' }, { fields })).body.deployment;
/** Marks a custom domain as verified, like a successful DNS check. */
const proveOwnership = (name: string, caller: AccountCaller) =>
  test.database.query(`update domain set status = 'success', verified = now() where name = $1 and account_id = $2`, [
    name,
    caller.account,
  ]);

let lastNumber = 0;
const platformName = () => `site-${(lastNumber += 1)}.sites.test`;
const customName = () => `www.shop-${(lastNumber += 1)}.dev`;
const takenNameError = {
  code: 'business_logic_error',
  status: 422,
  message: expect.stringContaining('belongs to another account'),
};

describe('api §4: PUT of a domain', () => {
  it('creates a platform domain that serves at once, or a custom domain that is pending', async () => {
    const [platform, custom] = [platformName(), customName()];
    expect(await putAs(platform)).toEqual({
      created: true,
      domain: {
        domain: platform,
        url: `https://${platform}`,
        deployment: null,
        status: 'success',
        labels: [],
        created: expect.closeTo(test.core.now().getTime() / 1000, -1),
        linked: null,
        links: 0,
      },
    });
    expect((await putAs(custom)).domain).toMatchObject({ url: `https://${custom}`, status: 'pending', linked: null });
  });

  it('leaves absent fields unchanged, and counts in `links` how often the deployment changed', async () => {
    const name = platformName();
    const [first, second] = [await publish(), await publish()];
    const { domain } = await putAs(name, { deployment: first, labels: ['one', 'two'] });
    expect(domain).toMatchObject({ deployment: first, labels: ['one', 'two'], links: 1, linked: domain.created });
    test.advance(60);
    expect((await putAs(name)).domain).toEqual(domain);
    expect((await putAs(name, { deployment: first })).domain).toEqual(domain);
    expect((await putAs(name, { labels: [] })).domain).toEqual({ ...domain, labels: [] });
    const switchedDomain = await putAs(`${name.toUpperCase()}.`, { deployment: `${second}.sites.test` });
    expect(switchedDomain).toEqual({
      created: false,
      domain: { ...domain, labels: [], deployment: second, links: 2, linked: expect.any(Number) },
    });
    expect(switchedDomain.domain.linked! - domain.linked!).toBeGreaterThanOrEqual(60);
    expect(await getDomain(ownScope, name)).toEqual(switchedDomain.domain);
  });

  it('refuses a missing deployment, an anonymous one and one of another account with the same 404', async () => {
    const name = platformName();
    const { body } = await deploySite(test.core, { kind: 'anonymous', address: '192.0.2.1' }, { a: 'a' });
    const errors = [];
    for (const deployment of ['calm-otter-zzzzzzz', 'nonsense', await publish(otherCaller), body.deployment])
      errors.push(await putAs(name, { deployment }).catch((error: Error) => error));
    expect(new Set(errors.map((error) => JSON.stringify(error))).size).toBe(1);
    expect(errors[0]).toMatchObject({ code: 'not_found', message: 'There is no such deployment.' });
    await expect(getDomain(ownScope, name)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('api §3: refuses a deployment that is being deleted or that expires', async () => {
    const [gone, expiring] = [await publish(), await publish(ownCaller, { ttl: '3600' })];
    await deleteDeployment(ownScope, gone);
    const name = platformName();
    const expectRefused = async (deployment: string, details: object) =>
      expect(putAs(name, { deployment })).rejects.toMatchObject({ code: 'business_logic_error', status: 422, details });
    await expectRefused(gone, { status: 'deleting' });
    await expectRefused(expiring, { expires: expect.any(Number) });
    await putAs(name);
    await expectRefused(expiring, { expires: expect.any(Number) });
    expect(await getDomain(ownScope, name)).toMatchObject({ deployment: null, links: 0 });
  });
});

describe('T28: for the names of domains,', () => {
  it('only one of two accounts that request a platform domain at the same time gets it', async () => {
    for (let round = 0; round < 10; round += 1) {
      const name = platformName();
      const refusedPuts = await refusals([ownCaller, otherCaller].map((caller) => putAs(name, {}, caller)));
      expect(refusedPuts).toEqual([expect.objectContaining(takenNameError)]);
      expect(await test.database.query(`select 1 from domain where name = $1`, [name])).toHaveLength(1);
      expect(await test.database.query(`select 1 from activity where domain = $1`, [name])).toHaveLength(1);
    }
  });

  it('only one of several simultaneous requests of an account creates the domain', async () => {
    for (const name of [platformName(), customName()]) {
      const outcomes = await Promise.all(Array.from({ length: 6 }, () => putAs(name)));
      expect(outcomes.filter(({ created }) => created)).toHaveLength(1);
    }
  });

  it('a pending custom domain blocks no other account, but a proved domain blocks all names below it', async () => {
    const base = `shop-${(lastNumber += 1)}.co.uk`;
    await putAs(`a.${base}`);
    expect(await putAs(`a.${base}`, {}, otherCaller)).toMatchObject({ created: true });
    await proveOwnership(`a.${base}`, otherCaller);
    await expect(putAs(`b.c.a.${base}`)).rejects.toMatchObject(takenNameError);
    await expect(putAs(`B.A.${base}.`)).rejects.toMatchObject({
      ...takenNameError,
      details: { domain: `b.a.${base}` },
    });
    for (const name of [base, `b.${base}`, `xa.${base}`]) expect(await putAs(name)).toMatchObject({ created: true });
    expect(await putAs(`b.a.${base}`, {}, otherCaller)).toMatchObject({ created: true });
    const keptDomain = { created: false, domain: { status: 'pending' } };
    expect(await putAs(`a.${base}`, { labels: ['mine'] })).toMatchObject(keptDomain);
    await deleteDomain(ownScope, `a.${base}`);
    await expect(putAs(`a.${base}`)).rejects.toMatchObject(takenNameError);
  });

  it('a paused domain still blocks its name, but a deleted domain does not', async () => {
    const [custom, platform] = [customName(), platformName()];
    await putAs(custom, {}, otherCaller);
    await putAs(platform, {}, otherCaller);
    await proveOwnership(custom, otherCaller);
    await test.database.query(`update domain set status = 'paused' where name = $1`, [custom]);
    for (const name of [custom, platform]) {
      await expect(putAs(name)).rejects.toMatchObject(takenNameError);
      await deleteDomain(scopeOf(otherCaller), name);
      expect(await putAs(name)).toMatchObject({ created: true });
    }
  });

  it('an account whose custom domain is the domain of the platform blocks no platform domain', async () => {
    await putAs(customName(), {}, otherCaller);
    await test.database.query(
      `update domain set name = 'sites.test', status = 'success', verified = now() where id = (select max(id) from domain)`,
    );
    expect(await putAs(platformName())).toMatchObject({ created: true });
  });
});

describe('api §4: the validation of a domain name', () => {
  it('says whether the name is available, but never which account has it', async () => {
    const [custom, platform] = [customName(), platformName()];
    await putAs(custom, {}, otherCaller);
    await putAs(platform, {}, otherCaller);
    const reason = 'this name, or one above it, belongs to another account';
    const expectAvailable = async (name: string, available: boolean, caller = ownCaller) =>
      expect(await validateDomain(scopeOf(caller), name.toUpperCase()), name).toEqual({
        valid: true,
        normalized: name,
        available,
        reason: available ? null : reason,
      });
    await expectAvailable(custom, true);
    await proveOwnership(custom, otherCaller);
    for (const name of [custom, `a.b.${custom}`, platform]) {
      await expectAvailable(name, false);
      await expectAvailable(name, true, otherCaller);
    }
    const invalid = { valid: false, available: false };
    expect(await validateDomain(ownScope, '')).toMatchObject({ ...invalid, normalized: null });
    expect(await validateDomain(ownScope, 'WWW.sites.test')).toMatchObject({
      ...invalid,
      normalized: 'www.sites.test',
    });
  });
});

describe('api §4: the DNS records of a domain', () => {
  it('T28: a subdomain needs a CNAME to the target of its account', async () => {
    const name = customName();
    const targets = [];
    for (const caller of [ownCaller, otherCaller]) {
      await putAs(name, {}, caller);
      const sql = `select 'to-' || dns_name || '.cname.test' as value from account where id = $1`;
      const [target] = await test.database.query<{ value: string }>(sql, [caller.account]);
      const records = [{ type: 'CNAME', name, ...target }];
      expect(await getRecords(scopeOf(caller), name)).toEqual({ domain: name, apex: false, records });
      targets.push(target!.value);
    }
    expect(new Set(targets).size).toBe(2);
  });

  it('T28: an apex needs the addresses of the service, and a TXT record that differs for each account and name', async () => {
    const proofs = [];
    for (const name of [`shop-${(lastNumber += 1)}.dev`, `shop-${(lastNumber += 1)}.dev`])
      for (const caller of [ownCaller, otherCaller]) {
        await putAs(name, {}, caller);
        const { apex, records } = await getRecords(scopeOf(caller), name);
        expect(apex).toBe(true);
        expect(records).toEqual([
          { type: 'A', name, value: '192.0.2.10' },
          { type: 'AAAA', name, value: '2001:db8::10' },
          { type: 'TXT', name: `_berth.${name}`, value: expect.stringMatching(/^[0-9a-f]{40}$/) },
        ]);
        expect(await getRecords(scopeOf(caller), name)).toEqual({ domain: name, apex, records });
        proofs.push(records[2]!.value);
      }
    expect(new Set(proofs).size).toBe(4);
  });

  it('an apex needs one of several IPv4 addresses, and all of them are listed', () => {
    const core = { ...test.core, addresses: { ...test.core.addresses, apexAddresses: ['192.0.2.1', '192.0.2.2'] } };
    const [a, txt] = wantedRecords(core, { id: 'acc-1', dnsName: 'abcdefg' }, 'shop.dev');
    expect(a).toEqual({ type: 'A', name: 'shop.dev', values: ['192.0.2.1', '192.0.2.2'] });
    expect(txt).toMatchObject({ type: 'TXT', name: '_berth.shop.dev' });
  });

  it('an apex is refused with 400 and advice if the service has no addresses for an apex', async () => {
    const core = { ...test.core, addresses: { ...test.core.addresses, apexAddresses: [] } };
    const scope = { core, caller: ownCaller };
    const message = expect.stringContaining('"www.lonely.dev"');
    await expect(putDomain(scope, 'lonely.dev', {})).rejects.toMatchObject({ code: 'validation_failed', message });
    expect(await validateDomain(scope, 'lonely.dev')).toMatchObject({ valid: false, normalized: 'lonely.dev' });
    expect(await putDomain(scope, 'www.lonely.dev', {})).toMatchObject({ created: true });
  });

  it('a custom domain has one public share link, and a platform domain has neither records nor a link', async () => {
    const [custom, otherCustom, platform] = [customName(), customName(), platformName()];
    for (const name of [custom, otherCustom, platform]) await putAs(name);
    const shareLink = await getShare(ownScope, custom);
    expect(shareLink.hash).toMatch(/^[0-9a-f]{32}$/);
    expect(shareLink).toEqual({
      domain: custom,
      hash: shareLink.hash,
      url: `https://api.test/setup/${shareLink.hash}`,
    });
    expect(await getShare(ownScope, custom)).toEqual(shareLink);
    expect((await getShare(ownScope, otherCustom)).hash).not.toBe(shareLink.hash);
    const platformRefusal = { code: 'business_logic_error', details: { kind: 'platform' } };
    for (const read of [getRecords, getShare])
      await expect(read(ownScope, platform)).rejects.toMatchObject(platformRefusal);
  });
});

describe('api §3: a deployment that domains point at', () => {
  it('cannot be deleted until the domains that the error names are deleted or switched', async () => {
    const deployment = await publish();
    const names = [platformName(), customName()].toSorted();
    for (const name of names) await putAs(name, { deployment });
    await expect(deleteDeployment(ownScope, deployment)).rejects.toMatchObject({
      code: 'business_logic_error',
      message: expect.stringContaining(names.join(', ')),
      details: { domains: names },
    });
    await deleteDomain(ownScope, names[0]!);
    await putAs(names[1]!, { deployment: await publish() });
    expect(await deleteDeployment(ownScope, deployment)).toMatchObject({ status: 'deleting' });
  });

  it('is either linked or deleted, but never both, if both are requested at the same time', async () => {
    const sql = `select status, exists (select 1 from domain where deployment_id = d.id) as linked from deployment d
      where id = $1`;
    const linkedRows = [{ status: 'success', linked: true }];
    const deletedRows = [{ status: 'deleting', linked: false }];
    for (let round = 0; round < 10; round += 1) {
      const [deployment, name] = [await publish(), platformName()];
      await Promise.allSettled([putAs(name, { deployment }), deleteDeployment(ownScope, deployment)]);
      expect([linkedRows, deletedRows]).toContainEqual(await test.database.query(sql, [deployment]));
    }
  });
});

describe('api §6: the activities of an account', () => {
  it('contain each create, change and delete of a domain, but no request that was refused or changed nothing', async () => {
    const { caller } = await test.account('team');
    const [name, first, second] = [platformName(), await publish(caller), await publish(caller)];
    await putAs(name, { deployment: first, labels: ['one'] }, caller);
    await putAs(name, { deployment: first, labels: ['one'] }, caller);
    await putAs(name, { deployment: 'nonsense' }, caller).catch(() => {});
    await putAs(name, { deployment: second }, caller);
    await putAs(name, { labels: ['two'] }, caller);
    await deleteDomain(scopeOf(caller), name);
    const { activities } = await listActivities(scopeOf(caller), { limit: 4 });
    const entry = { created: expect.any(Number), domain: name, authMethod: 'api-key' };
    expect(activities).toEqual([
      { ...entry, event: 'domain.delete', deployment: second, meta: {} },
      { ...entry, event: 'domain.update', meta: { labels: ['two'] } },
      { ...entry, event: 'domain.update', deployment: second, meta: { previous: first } },
      { ...entry, event: 'domain.create', deployment: first, meta: { labels: ['one'] } },
    ]);
  });
});

describe('api §4: the list of domains', () => {
  it('contains every domain once, the newest first, while domains are added and deleted and even if times are equal', async () => {
    const { caller } = await test.account('team');
    const names = Array.from({ length: 7 }, platformName);
    for (const name of names) await putAs(name, { labels: ['one'] }, caller);
    const sql = `update domain set created = date_trunc('day', created) where account_id = $1`;
    await test.database.query(sql, [caller.account]);
    const listedNames: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listDomains(scopeOf(caller), { limit: 3, cursor });
      expect(page.domains.every(({ labels }) => labels[0] === 'one')).toBe(true);
      listedNames.push(...page.domains.map(({ domain }) => domain));
      cursor = page.nextCursor;
      if (listedNames.length === 3) {
        await deleteDomain(scopeOf(caller), listedNames[0]!);
        await putAs(platformName(), {}, caller);
      }
    } while (cursor !== undefined);
    expect(listedNames).toEqual(names.toReversed());
  });
});

describe('an account that has 10,000 unverified domains', () => {
  it('cannot add another custom domain, whatever its plan', async () => {
    const { caller } = await test.account('scale');
    const firstName = customName();
    await putAs(firstName, {}, caller);
    await test.database.query(
      `insert into domain (account_id, name, kind, status, labels, created, links, checks, misses)
       select account_id, n || '.' || name, kind, 'partial', '{}', created, 0, checks, 0
       from domain, generate_series(2, $2::int) n where name = $1`,
      [firstName, MAX_UNVERIFIED_DOMAINS],
    );
    await expect(putAs(customName(), {}, caller)).rejects.toMatchObject({
      code: 'business_logic_error',
      message: expect.stringContaining('at most 10,000 unverified domains'),
    });
    expect(await putAs(platformName(), {}, caller)).toMatchObject({ created: true });
    await proveOwnership(firstName, caller);
    expect(await putAs(customName(), {}, caller)).toMatchObject({ created: true });
  });
});
