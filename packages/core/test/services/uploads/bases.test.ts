import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../../src/core.ts';
import { useTestCore, refusal } from '@berth/testing/core';
import { begin, listOf, publishDelta, sendMissing, uploadAll } from '@berth/testing/uploads';
import { setTakenDown } from '../../../src/services/deployments/take-downs.ts';
import { putDomain } from '../../../src/services/domains/put-domain.ts';
import { verifyPassword } from '../../../src/services/passwords.ts';
import { commitUpload } from '../../../src/services/uploads/commit-upload.ts';

const test = await useTestCore();
const { core } = test;
const { caller } = await test.account('pro');
const token = await test.deployToken(caller);

const PASSWORD = 'open sesame';
const site = () => ({ 'index.html': randomUUID() });
const protectedSite = async () => (await publishDelta(core, caller, site(), { password: PASSWORD })).deployment;
const copyOf = (base: string, options: object = {}) => ({ base, put: [], remove: [], ...options });
const publishCopy = async (by: AccountCaller, base: string, options: object = {}) => {
  const { upload } = await begin(core, by, copyOf(base, options));
  return commitUpload({ core, caller: by }, upload);
};
/** Returns whether a password unlocks a deployment; `null` if the deployment is public. */
async function isUnlockedBy(deployment: string, password: string): Promise<boolean | null> {
  const query = 'select password_hash as hash from deployment where id = $1';
  const [row] = await test.database.query<{ hash: string | null }>(query, [deployment]);
  return row!.hash === null ? null : verifyPassword(password, row!.hash);
}

describe('api §9: an upload with a protected base', () => {
  it.each([
    ['an API key', () => caller],
    ['a deploy token', () => token],
  ])('keeps the password of the base if %s publishes it', async (_, by) => {
    const copiedSite = await publishCopy(by(), await protectedSite());
    expect(copiedSite.password).toBe(true);
    expect(await isUnlockedBy(copiedSite.deployment, PASSWORD)).toBe(true);
  });

  it('can change or remove the password with an API key', async () => {
    const base = await protectedSite();
    const otherPasswordCopy = await publishCopy(caller, base, { password: 'another word' });
    expect(await isUnlockedBy(otherPasswordCopy.deployment, PASSWORD)).toBe(false);
    expect(await isUnlockedBy(otherPasswordCopy.deployment, 'another word')).toBe(true);
    const unprotectedCopy = await publishCopy(caller, base, { password: null });
    expect(unprotectedCopy.password).toBe(false);
    expect(await isUnlockedBy(unprotectedCopy.deployment, PASSWORD)).toBeNull();
  });

  it.each([['another word'], [PASSWORD], [null]])('cannot set password %s with a deploy token', async (password) => {
    const error = await refusal(begin(core, token, copyOf(await protectedSite(), { password })));
    expect(error).toMatchObject({ status: 422, details: { state: 'base_protected' } });
  });

  it('does not reveal to other accounts whether a deployment is protected', async () => {
    const { caller: other } = await test.account('pro');
    const otherToken = await test.deployToken(other);
    const base = await protectedSite();
    expect(await refusal(begin(core, otherToken, copyOf(base, { password: null })))).toMatchObject({ status: 404 });
  });

  it('T25: with a password of null is another request than an upload without a password', async () => {
    const base = await protectedSite();
    await begin(core, caller, copyOf(base), 'one key');
    const error = await refusal(begin(core, caller, copyOf(base, { password: null }), 'one key'));
    expect(error).toMatchObject({ status: 422, details: { state: 'idempotency_key_used' } });
  });
});

describe('api §9: an upload with a public base', () => {
  it('can set a password with an API key and with a deploy token; null leaves the deployment public', async () => {
    const { deployment: base } = await publishDelta(core, caller, site());
    for (const uploader of [caller, token]) {
      expect((await publishCopy(uploader, base, { password: PASSWORD })).password).toBe(true);
      expect((await publishCopy(uploader, base, { password: null })).password).toBe(false);
    }
  });
});

describe('api §9: a deployment that was taken down', () => {
  const takenDownError = { status: 422, details: { state: 'taken_down' } };
  const takenDown = async (files: Record<string, string>) => {
    const { deployment } = await publishDelta(core, caller, files);
    await setTakenDown(core, deployment, true);
    return deployment;
  };

  it('cannot be the base of an upload', async () => {
    expect(await refusal(begin(core, caller, copyOf(await takenDown(site()))))).toMatchObject(takenDownError);
  });

  it('does not provide files for other uploads, which must send the files again', async () => {
    const files = site();
    await takenDown(files);
    expect((await begin(core, caller, { files: listOf(files) })).missing).toHaveLength(1);
    const manyFiles = {
      ...files,
      ...Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${i}.txt`, randomUUID()])),
    };
    expect((await begin(core, caller, { files: listOf(manyFiles) })).missing).toHaveLength(41);
  });

  it('cannot be the target of a new or an existing domain until it is restored', async () => {
    const deployment = await takenDown(site());
    const name = () => `${randomUUID().slice(0, 12)}.sites.test`;
    expect(await refusal(putDomain({ core, caller }, name(), { deployment }))).toMatchObject(takenDownError);
    const domain = name();
    await putDomain({ core, caller }, domain, { deployment: (await publishDelta(core, caller, site())).deployment });
    expect(await refusal(putDomain({ core, caller }, domain, { deployment }))).toMatchObject(takenDownError);
    await setTakenDown(core, deployment, false);
    expect((await putDomain({ core, caller }, domain, { deployment })).domain.deployment).toBe(deployment);
  });

  it('cannot be published by an upload that was begun before the take-down', async () => {
    const files = site();
    const { deployment } = await publishDelta(core, caller, files);
    const uploadBefore = await begin(core, caller, { files: listOf(files) });
    expect(uploadBefore.missing).toEqual([]);
    await setTakenDown(core, deployment, true);
    expect(await refusal(commitUpload({ core, caller }, uploadBefore.upload))).toMatchObject({ status: 404 });
  });

  it('can be published again by an upload that sends its files', async () => {
    const files = site();
    await takenDown(files);
    const begunUpload = await uploadAll(core, caller, files);
    expect((await commitUpload({ core, caller }, begunUpload.upload)).status).toBe('success');
  });
});

describe('storage P10: a deployment with a base refers', () => {
  const packsOf = async (deployment: string) => {
    const query = 'select pack_id as pack from deployment_pack where deployment_id = $1';
    return (await test.database.query<{ pack: string }>(query, [deployment])).map(({ pack }) => pack);
  };
  /** Publishes files of different contents, which become the only contents of one pack. */
  const publishFiles = async (count: number) => {
    const files = Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}.txt`, randomUUID()]));
    const { deployment } = await publishDelta(core, caller, files);
    return { deployment, paths: Object.keys(files), pack: (await packsOf(deployment))[0]! };
  };
  /** Publishes a base with one more file, and without the given paths. */
  const publishChange = async (base: string, remove: string[]) => {
    const added = { 'added.txt': randomUUID() };
    const begun = await begin(core, caller, { base, put: listOf(added), remove });
    await sendMissing(core, caller, begun, added);
    return packsOf((await commitUpload({ core, caller }, begun.upload)).deployment);
  };

  it.each([1, 31, 32, 100])('to no pack of the base of which it has none of %i contents', async (count) => {
    const { deployment, paths, pack } = await publishFiles(count);
    const packs = await publishChange(deployment, paths);
    expect(packs).toHaveLength(1);
    expect(packs).not.toContain(pack);
  });

  it.each([1, 31, 32, 100])('to a pack of the base of which it has only one of %i contents', async (count) => {
    const { deployment, paths, pack } = await publishFiles(count);
    for (const keptPath of new Set([paths[0], paths.at(-1)])) {
      const packs = await publishChange(
        deployment,
        paths.filter((path) => path !== keptPath),
      );
      expect(packs).toHaveLength(2);
      expect(packs).toContain(pack);
    }
  });
});
