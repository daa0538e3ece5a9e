import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../../src/core.ts';
import { createTestCore, refusal } from '@berth/testing/core';
import { begin, listOf, publishDelta, uploadAll } from '@berth/testing/uploads';
import { setTakenDown } from '../../../src/services/deployments/take-downs.ts';
import { putDomain } from '../../../src/services/domains/put-domain.ts';
import { verifyPassword } from '../../../src/services/sites/passwords.ts';
import { commitUpload } from '../../../src/services/uploads/commit-upload.ts';

const test = await createTestCore();
const { core } = test;
const { caller } = await test.account('pro');
const token = await test.deployToken(caller);
afterAll(() => test.close());

const PASSWORD = 'open sesame';
const site = () => ({ 'index.html': randomUUID() });
const protectedSite = async () => (await publishDelta(core, caller, site(), { password: PASSWORD })).deployment;
const copyOf = (base: string, options: object = {}) => ({ base, put: [], remove: [], ...options });
const publishCopy = async (by: AccountCaller, base: string, options: object = {}) => {
  const { upload } = await begin(core, by, copyOf(base, options));
  return commitUpload({ core, caller: by }, upload);
};
/** Whether a password unlocks a deployment; `null` if it is public. */
async function opens(deployment: string, password: string): Promise<boolean | null> {
  const query = 'select password_hash as hash from deployment where id = $1';
  const [row] = await test.database.query<{ hash: string | null }>(query, [deployment]);
  return row!.hash === null ? null : verifyPassword(password, row!.hash);
}

describe('api §9: a base that is protected by a password', () => {
  it.each([
    ['an API key', () => caller],
    ['a deploy token', () => token],
  ])('passes the password on if %s publishes a change of it', async (_, by) => {
    const copy = await publishCopy(by(), await protectedSite());
    expect(copy.password).toBe(true);
    expect(await opens(copy.deployment, PASSWORD)).toBe(true);
  });

  it('can get another password, or none, from an API key', async () => {
    const base = await protectedSite();
    const other = await publishCopy(caller, base, { password: 'another word' });
    expect(await opens(other.deployment, PASSWORD)).toBe(false);
    expect(await opens(other.deployment, 'another word')).toBe(true);
    const none = await publishCopy(caller, base, { password: null });
    expect(none.password).toBe(false);
    expect(await opens(none.deployment, PASSWORD)).toBeNull();
  });

  it.each([['another word'], [PASSWORD], [null]])('gets no password from a deploy token: not %s', async (password) => {
    const error = await refusal(begin(core, token, copyOf(await protectedSite(), { password })));
    expect(error).toMatchObject({ status: 422, details: { state: 'base_protected' } });
  });

  it('does not reveal if a missing base is protected', async () => {
    const { caller: other } = await test.account('pro');
    const stranger = await test.deployToken(other);
    const base = await protectedSite();
    expect(await refusal(begin(core, stranger, copyOf(base, { password: null })))).toMatchObject({ status: 404 });
  });

  it('T25: a request with null differs from one without a password', async () => {
    const base = await protectedSite();
    await begin(core, caller, copyOf(base), 'one key');
    const error = await refusal(begin(core, caller, copyOf(base, { password: null }), 'one key'));
    expect(error).toMatchObject({ status: 422, details: { state: 'idempotency_key_used' } });
  });
});

describe('api §9: a public base', () => {
  it('gets a password from either credential; null changes nothing', async () => {
    const { deployment: base } = await publishDelta(core, caller, site());
    for (const uploader of [caller, token]) {
      expect((await publishCopy(uploader, base, { password: PASSWORD })).password).toBe(true);
      expect((await publishCopy(uploader, base, { password: null })).password).toBe(false);
    }
  });
});

describe('api §9: a deployment that was taken down', () => {
  const refused = { status: 422, details: { state: 'taken_down' } };
  const takenDown = async (files: Record<string, string>) => {
    const { deployment } = await publishDelta(core, caller, files);
    await setTakenDown(core, deployment, true);
    return deployment;
  };

  it('cannot be a base', async () => {
    expect(await refusal(begin(core, caller, copyOf(await takenDown(site()))))).toMatchObject(refused);
  });

  it('does not provide contents, which must be sent again', async () => {
    const files = site();
    await takenDown(files);
    expect((await begin(core, caller, { files: listOf(files) })).missing).toHaveLength(1);
    const many = { ...files, ...Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${i}.txt`, randomUUID()])) };
    expect((await begin(core, caller, { files: listOf(many) })).missing).toHaveLength(41);
  });

  it('cannot be the target of a domain, new or switched', async () => {
    const deployment = await takenDown(site());
    const name = () => `${randomUUID().slice(0, 12)}.sites.test`;
    expect(await refusal(putDomain({ core, caller }, name(), { deployment }))).toMatchObject(refused);
    const domain = name();
    await putDomain({ core, caller }, domain, { deployment: (await publishDelta(core, caller, site())).deployment });
    expect(await refusal(putDomain({ core, caller }, domain, { deployment }))).toMatchObject(refused);
    await setTakenDown(core, deployment, false);
    expect((await putDomain({ core, caller }, domain, { deployment })).domain.deployment).toBe(deployment);
  });

  it('does not return through an upload that was begun before', async () => {
    const files = site();
    const { deployment } = await publishDelta(core, caller, files);
    const before = await begin(core, caller, { files: listOf(files) });
    expect(before.missing).toEqual([]);
    await setTakenDown(core, deployment, true);
    expect(await refusal(commitUpload({ core, caller }, before.upload))).toMatchObject({ status: 404 });
  });

  it('can be published again by sending its bytes', async () => {
    const files = site();
    await takenDown(files);
    const begunUpload = await uploadAll(core, caller, files);
    expect((await commitUpload({ core, caller }, begunUpload.upload)).status).toBe('success');
  });
});
