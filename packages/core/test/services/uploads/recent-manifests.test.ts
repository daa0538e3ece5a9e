import { randomUUID } from 'node:crypto';
import { anotherProcess, readText, refusal, useTestCore } from '@berth/testing/core';
import { begin, listOf, publishDelta, sendMissing, sha256Of } from '@berth/testing/uploads';
import { describe, expect, it } from 'vitest';
import { deleteDeployment } from '../../../src/services/deployments/deployments.ts';
import { setTakenDown } from '../../../src/services/deployments/take-downs.ts';
import { buildPathIndex } from '../../../src/services/sites/path-index.ts';
import { commitUpload } from '../../../src/services/uploads/commit-upload.ts';
import { abortUpload } from '../../../src/services/uploads/uploads.ts';

const test = await useTestCore();
const { core } = test;
const { caller } = await test.account('pro');
const otherCore = await anotherProcess(test);

/** Enough files for their manifest to be kept. They share one content. */
const manyFiles = (text = randomUUID()) =>
  Object.fromEntries(Array.from({ length: 1_200 }, (_, i) => [`folder-${i % 7}/${i}.txt`, text]));
const changeOf = (base: string, files: Record<string, string>, remove: string[] = []) => ({
  base,
  put: listOf(files),
  remove,
});

async function publishChange(base: string, files: Record<string, string>, remove: string[] = [], by = core) {
  const begun = await begin(core, caller, changeOf(base, files, remove));
  await sendMissing(core, caller, begun, files);
  return commitUpload({ core: by, caller }, begun.upload);
}

/** Whether the path index of a deployment is that of its paths. */
async function hasIndexOfItsPaths(deployment: string): Promise<boolean> {
  const query = 'select paths, path_keys as keys, path_positions as positions from manifest where deployment_id = $1';
  const [row] = await test.database.query<{ paths: string[]; keys: string; positions: Buffer }>(query, [deployment]);
  const { keys, positions } = buildPathIndex(row!.paths);
  return row!.keys === keys && positions.equals(row!.positions);
}

describe('an upload of many files', () => {
  it.each([
    ['the process that began it', core],
    ['another process', otherCore],
  ])('publishes all of its files if %s commits it', async (_, committer) => {
    const files = manyFiles();
    const begun = await begin(core, caller, { files: listOf(files) });
    await sendMissing(core, caller, begun, files);
    const { deployment } = await commitUpload({ core: committer, caller }, begun.upload);
    expect(await readText(core, deployment)).toEqual(files);
    expect(await hasIndexOfItsPaths(deployment)).toBe(true);
  });

  it.each([
    ['the process that began it', core],
    ['another process', otherCore],
  ])('applies changes to its base, one after the other, if %s commits them', async (_, committer) => {
    const files = manyFiles();
    const { deployment: base } = await publishDelta(core, caller, files);
    const replaced = { 'folder-0/0.txt': randomUUID(), 'folder-1/1.txt': randomUUID() };
    const { deployment: changed } = await publishChange(base, replaced, [], committer);
    expect(await readText(core, changed)).toEqual({ ...files, ...replaced });
    expect(await hasIndexOfItsPaths(changed)).toBe(true);

    const added = { 'new.txt': randomUUID(), 'folder-0/0.txt': randomUUID() };
    const { deployment: last } = await publishChange(changed, added, ['folder-2/2.txt'], committer);
    const expected: Record<string, string> = { ...files, ...replaced, ...added };
    delete expected['folder-2/2.txt'];
    expect(await readText(core, last)).toEqual(expected);
    expect(await hasIndexOfItsPaths(last)).toBe(true);
    expect(await readText(core, base)).toEqual(files);
  });

  it('that was aborted, and begun again in another order by another process, has the index of the new order', async () => {
    const files = manyFiles();
    const key = randomUUID();
    const aborted = await begin(core, caller, { files: listOf(files) }, key);
    await abortUpload({ core, caller }, aborted.upload);
    const begunAgain = await begin(otherCore, caller, { files: listOf(files).toReversed() }, key);
    expect(begunAgain.upload).toBe(aborted.upload);
    await sendMissing(otherCore, caller, begunAgain, files);
    const { deployment } = await commitUpload({ core, caller }, begunAgain.upload);
    expect(await hasIndexOfItsPaths(deployment)).toBe(true);
  });
});

describe('a base of many files that this process has published', () => {
  const change = async (base: string, by = caller) =>
    refusal(begin(core, by, changeOf(base, { 'a.txt': randomUUID() })));

  it('is not found by other accounts, and after it was deleted', async () => {
    const { deployment } = await publishDelta(core, caller, manyFiles());
    expect(await change(deployment, (await test.account('pro')).caller)).toMatchObject({ status: 404 });
    await deleteDeployment({ core, caller }, deployment);
    expect(await change(deployment)).toMatchObject({ status: 404 });
  });

  it('is refused after it was taken down', async () => {
    const { deployment } = await publishDelta(core, caller, manyFiles());
    await setTakenDown(core, deployment, true);
    expect(await change(deployment)).toMatchObject({ status: 422, details: { state: 'taken_down' } });
  });

  it('does not accept another size for one of its contents, a path that is also a folder, or a file twice', async () => {
    const text = randomUUID();
    const { deployment: base } = await publishDelta(core, caller, manyFiles(text));
    const sha256 = sha256Of(text);
    const put = (...files: { path: string; size: number; sha256: string }[]) =>
      refusal(begin(core, caller, { base, put: files, remove: [] }));
    const file = (path: string, size = text.length) => ({ path, size, sha256 });
    const invalidFile = { status: 400 };
    expect(await put(file('a.txt', 1))).toMatchObject(invalidFile);
    expect(await put(file('folder-0'))).toMatchObject(invalidFile);
    expect(await put(file('folder-0/0.txt/deeper'))).toMatchObject(invalidFile);
    expect(await put(file('a.txt'), file('./a.txt'))).toMatchObject(invalidFile);
    expect(
      await put(
        { ...file('a.txt'), sha256: '0'.repeat(64), size: 1 },
        { ...file('b.txt'), sha256: '0'.repeat(64), size: 2 },
      ),
    ).toMatchObject(invalidFile);
  });
});
