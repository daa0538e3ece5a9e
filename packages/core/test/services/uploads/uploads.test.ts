import { randomBytes } from 'node:crypto';
import { DEPLOYMENT_ID } from '@berth/contract';
import { afterAll, describe, expect, it } from 'vitest';
import { ANONYMOUS, createTestCore, deploySite, readText, refusal, refusals } from '@berth/testing/core';
import { expectSwept, stateOf, sweepAll, closeSwept } from '@berth/testing/invariants';
import {
  begin,
  listOf,
  publishDelta,
  send,
  sendMissing,
  sha256Of,
  type UploadFiles,
  uploadAll,
} from '@berth/testing/uploads';
import { deleteDeployment } from '../../../src/services/deployments/deployments.ts';
import { sweep } from '../../../src/services/sweep/sweep.ts';
import { abortUpload } from '../../../src/services/uploads/uploads.ts';
import { commitUpload } from '../../../src/services/uploads/commit-upload.ts';

const HOUR_SECONDS = 3_600;

const test = await createTestCore();
const { core } = test;
const [caller, other] = [(await test.account('pro')).caller, (await test.account('pro')).caller];
afterAll(() => closeSwept(test));

const randomText = (length = 40) => randomBytes(length).toString('hex');
const commitAs = (upload: string, by = caller) => commitUpload({ core, caller: by }, upload);

describe('api §9: an upload', () => {
  it('requests equal files once, and publishes all files unchanged after the missing files are received', async () => {
    const files: UploadFiles = {
      'index.html': randomText(),
      'a/twin.html': 'twin',
      'b/twin.html': 'twin',
      empty: '',
      big: randomText(1e6),
    };
    const begunUpload = await begin(core, caller, { files: listOf(files), labels: ['one'], via: 'CLI', ttl: 60 });
    expect(begunUpload.missing).toEqual([...new Set(Object.values(files).map(sha256Of))]);
    expect(await sendMissing(core, caller, begunUpload, files)).toEqual({ received: 4, missing: 0 });
    const body = await commitAs(begunUpload.upload);
    expect(body).toEqual({
      deployment: expect.stringMatching(DEPLOYMENT_ID),
      url: `https://${body.deployment}.sites.test`,
      files: 5,
      size: Object.values(files).reduce((sum, bytes) => sum + bytes.length, 0),
      status: 'success',
      password: false,
      via: 'cli',
      by: 'api-key',
      token: expect.stringMatching(/^[a-z0-9]{7}$/),
      labels: ['one'],
      domains: [],
      created: expect.any(Number),
      expires: body.created + 60,
    });
    expect(await readText(core, body.deployment)).toEqual(files);
  });

  it('need not send files that a deployment of the account has, even if they came in a multipart deploy', async () => {
    const files: UploadFiles = { 'index.html': randomText(), 'old.css': randomText() };
    await deploySite(core, caller, files);
    const nextFiles = { ...files, 'index.html': randomText() };
    expect((await begin(core, caller, { files: listOf(nextFiles) })).missing).toEqual([
      sha256Of(nextFiles['index.html']!),
    ]);
    const manyFiles = {
      ...files,
      ...Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`${i}.txt`, randomText()])),
    };
    expect((await begin(core, caller, { files: listOf(manyFiles) })).missing).toHaveLength(50);
  });

  it('need not send files of the newest ten deployments, but must send files of older deployments', async () => {
    const { caller: own } = await test.account('pro');
    const firstFiles = { 'first.txt': randomText() };
    await publishDelta(core, own, firstFiles);
    for (let i = 0; i < 9; i += 1) await publishDelta(core, own, { 'index.html': randomText() });
    expect((await begin(core, own, { files: listOf(firstFiles) })).missing).toEqual([]);
    await publishDelta(core, own, { 'index.html': randomText() });
    expect((await begin(core, own, { files: listOf(firstFiles) })).missing).toHaveLength(1);
  });

  it('with a base sends only the changes: it adds, replaces and removes files', async () => {
    const files = { 'a.html': randomText(), 'b.html': randomText(), 'c.html': randomText() };
    const base = (await publishDelta(core, caller, files)).deployment;
    const putContents = { 'b.html': randomText(), 'd.html': files['a.html'] };
    const begunUpload = await begin(core, caller, {
      base,
      put: listOf(putContents),
      remove: ['./c.html', 'never-was.html'],
    });
    expect(begunUpload.missing).toEqual([sha256Of(putContents['b.html'])]);
    await sendMissing(core, caller, begunUpload, putContents);
    const { deployment } = await commitAs(begunUpload.upload);
    expect(await readText(core, deployment)).toEqual({ 'a.html': files['a.html'], ...putContents });
    expect(await test.database.query('select paths from manifest where deployment_id = $1', [deployment])).toEqual([
      { paths: ['a.html', 'b.html', 'd.html'] },
    ]);
  });

  it('no longer needs its base after it was begun, so that the base can be deleted and swept', async () => {
    const files = { 'a.html': randomText(), 'b.html': randomText() };
    const base = (await publishDelta(core, caller, files)).deployment;
    const begunUpload = await begin(core, caller, { base, put: [], remove: ['b.html'] });
    await deleteDeployment({ core, caller }, base);
    await sweepAll(test);
    const { deployment } = await commitAs(begunUpload.upload);
    expect(await readText(core, deployment)).toEqual({ 'a.html': files['a.html'] });
  });

  it('cannot have a base that is missing, another account’s, anonymous, expired or being deleted', async () => {
    const site = async (by: Parameters<typeof publishDelta>[1], options = {}) =>
      (await publishDelta(core, by, { 'index.html': randomText() }, options)).deployment;
    const [deleted, expired] = [await site(caller), await site(caller, { ttl: 10 })];
    await deleteDeployment({ core, caller }, deleted);
    test.advance(11);
    const bases = ['calm-otter-zzzzzzz', 'no name', await site(other), await site(ANONYMOUS), deleted, expired];
    const missing = { status: 404, message: 'There is no such deployment.' };
    for (const base of bases)
      expect(await refusal(begin(core, caller, { base, put: [], remove: [] }))).toMatchObject(missing);
    expect(await refusal(begin(core, ANONYMOUS, { base: bases[3]!, put: [], remove: [] }))).toMatchObject(missing);
  });

  it('without a credential becomes a deployment that can be claimed, and must send all of its files', async () => {
    const files = { 'index.html': randomText(), 'a.txt': randomText() };
    const firstUpload = await begin(core, ANONYMOUS, { files: listOf(files) }, 'key');
    await send(core, ANONYMOUS, firstUpload.upload, [{ bytes: files['a.txt'] }]);
    expect((await begin(core, ANONYMOUS, { files: listOf(files) })).missing).toHaveLength(2);
    const repeatedUpload = await begin(core, ANONYMOUS, { files: listOf(files) }, 'key');
    expect(repeatedUpload).toEqual({ upload: firstUpload.upload, missing: [sha256Of(files['index.html'])] });
    await sendMissing(core, ANONYMOUS, repeatedUpload, files);
    const body = await commitUpload({ core, caller: ANONYMOUS }, repeatedUpload.upload);
    const expires = body.created + 72 * HOUR_SECONDS;
    expect(body).toMatchObject({ claim: expect.stringContaining('/claim/'), expires });
  });
});

describe('T22: an upload that was begun', () => {
  it('does not reveal whether other accounts or anonymous deployments have a file', async () => {
    const otherFiles = { 'index.html': randomText() };
    await publishDelta(core, other, otherFiles);
    await publishDelta(core, ANONYMOUS, { ...otherFiles, 'a.txt': randomText() });
    const open = await begin(core, other, { files: listOf({ 'open.html': 'open' }) });
    await send(core, other, open.upload, [{ bytes: 'open' }]);
    for (const bytes of [otherFiles['index.html'], 'open', randomText()])
      for (const uploader of [caller, ANONYMOUS]) {
        const begunUpload = await begin(core, uploader, { files: listOf({ 'index.html': bytes }) });
        expect(begunUpload).toEqual({ upload: expect.stringMatching(/^[0-9a-f]{32}$/), missing: [sha256Of(bytes)] });
        expect(await send(core, uploader, begunUpload.upload, [{ bytes }])).toEqual({ received: 1, missing: 0 });
        await abortUpload({ core, caller: uploader }, begunUpload.upload);
      }
  });

  it('does not reveal the size of a file that another account has', async () => {
    const bytes = randomText();
    await publishDelta(core, other, { 'index.html': bytes });
    const lie = [{ path: 'index.html', size: 1, sha256: sha256Of(bytes) }];
    expect((await begin(core, caller, { files: lie })).missing).toEqual([sha256Of(bytes)]);
  });

  it('does not request files that another open upload of the account has received', async () => {
    const files = { 'index.html': randomText(), 'a.txt': randomText() };
    const leftUpload = await begin(core, caller, { files: listOf(files) });
    await send(core, caller, leftUpload.upload, [{ bytes: files['a.txt'] }]);
    const nextUpload = await begin(core, caller, { files: listOf(files) });
    expect(nextUpload.upload).not.toBe(leftUpload.upload);
    expect(nextUpload.missing).toEqual([sha256Of(files['index.html'])]);
    await sendMissing(core, caller, nextUpload, files);
    expect(await readText(core, (await commitAs(nextUpload.upload)).deployment)).toEqual(files);
  });

  it('is not found from another address if it is anonymous', async () => {
    const { upload } = await begin(core, ANONYMOUS, { files: listOf({ a: randomText() }) });
    const otherAddress = { ...ANONYMOUS, address: '192.0.2.2' };
    for (const call of [
      () => commitUpload({ core, caller: otherAddress }, upload),
      () => send(core, otherAddress, upload, []),
    ])
      expect(await refusal(call())).toMatchObject({ status: 404, message: 'There is no such upload.' });
  });

  it('can be continued by a deploy token of the same account', async () => {
    const { upload } = await begin(core, caller, { files: listOf({ a: randomText() }) });
    expect(await send(core, await test.deployToken(caller), upload, [])).toMatchObject({ missing: 1 });
  });
});

describe('api §3, T25: the idempotency key of an upload', () => {
  const files = { 'index.html': randomText() };

  it('resumes the same upload, even with concurrent requests, but belongs to another upload for another credential', async () => {
    const input = { files: listOf(files) };
    const begunUploads = await Promise.all(Array.from({ length: 8 }, () => begin(core, caller, input, 'one')));
    expect(new Set(begunUploads.map(({ upload }) => upload)).size).toBe(1);
    const token = await test.deployToken(caller);
    expect((await begin(core, token, input, 'one')).upload).not.toBe(begunUploads[0]!.upload);
    const reorderedInput = { files: listOf({ b: 'b', a: 'a' }) };
    expect(await begin(core, caller, reorderedInput, 'two')).toMatchObject(
      await begin(core, caller, { files: reorderedInput.files.toReversed() }, 'two'),
    );
  });

  it.each<[string, object]>([
    ['files', { files: listOf({ 'index.html': 'other' }) }],
    ['paths', { files: listOf({ 'other.html': files['index.html'] }) }],
    ['a password', { files: listOf(files), password: 'open sesame' }],
    ['labels', { files: listOf(files), labels: ['one'] }],
    ['a base', { base: 'calm-otter-zzzzzzz', put: listOf(files), remove: [] }],
  ])('is refused if it was used with other %s', async (_, changed) => {
    await begin(core, caller, { files: listOf(files) }, 'taken');
    const error = await refusal(begin(core, caller, changed, 'taken'));
    expect(error).toMatchObject({ status: 422, details: { state: 'idempotency_key_used' } });
  });

  it('finds an upload that was committed: no content is missing, and a repeated commit returns the same response', async () => {
    const begunUpload = await begin(core, caller, { files: listOf(files) }, 'done');
    await sendMissing(core, caller, begunUpload, files);
    const body = await commitAs(begunUpload.upload);
    const stateBefore = await stateOf(test);
    const repeatedUpload = await begin(core, caller, { files: listOf(files) }, 'done');
    expect(repeatedUpload).toEqual({ upload: begunUpload.upload, missing: [] });
    expect(await commitAs(begunUpload.upload)).toEqual(body);
    expect(await stateOf(test)).toEqual(stateBefore);
  });
});

describe('api §9: the commit of an upload', () => {
  it('is refused while contents are missing, and the error has their number', async () => {
    const files = { a: randomText(), b: randomText(), c: randomText() };
    const begunUpload = await begin(core, caller, { files: listOf(files) });
    await send(core, caller, begunUpload.upload, [{ bytes: files.b }]);
    const stateBefore = await stateOf(test);
    const details = { state: 'incomplete', missing: 2 };
    expect(await refusal(commitAs(begunUpload.upload))).toMatchObject({ status: 422, details });
    expect(await stateOf(test)).toEqual(stateBefore);
  });

  it('I6: creates, counts and records one deployment if it is sent twelve times at once', async () => {
    const files = { 'index.html': randomText() };
    const begunUpload = await uploadAll(core, caller, files);
    const stateBefore = await stateOf(test);
    const bodies = await Promise.all(Array.from({ length: 12 }, () => commitAs(begunUpload.upload)));
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    const stateAfter = await stateOf(test);
    expect([stateAfter.deployment - stateBefore.deployment, stateAfter.counters - stateBefore.counters]).toEqual([
      1, 1,
    ]);
    expect(stateAfter.activity - stateBefore.activity).toBe(1);
    const overCapError = { status: 422, details: { state: 'over' } };
    expect(await refusal(send(core, caller, begunUpload.upload, []))).toMatchObject(overCapError);
  });

  it('T26: is refused at the cap on deployments, even if the upload was begun below the cap', async () => {
    const { caller: small } = await test.account('free');
    await test.database.query('update account set deployment_count = 99 where id = $1', [small.account]);
    const uploads = await Promise.all([1, 2, 3].map(() => uploadAll(core, small, { 'index.html': randomText() })));
    const refusedCommits = await refusals(uploads.map(({ upload }) => commitAs(upload, small)));
    expect(refusedCommits).toHaveLength(2);
    for (const error of refusedCommits) expect(error).toMatchObject({ status: 403, details: { cap: 'deployments' } });
    expect(await refusal(begin(core, small, { files: listOf({ a: 'a' }) }))).toMatchObject({ status: 403 });
    await test.database.query('update account set deployment_count = 1 where id = $1', [small.account]);
  });

  it('is refused if a file with a new name is a private key or an invalid ship.json', async () => {
    const key = `-----BEGIN RSA PRIVATE KEY-----\n${randomText()}`;
    await publishDelta(core, caller, { 'notes.txt': key });
    for (const [file, bytes] of Object.entries({ 'server.pem': key, 'ship.json': '[]' }))
      expect(await refusal(publishDelta(core, caller, { 'index.html': '', [file]: bytes }))).toMatchObject({
        status: 400,
        details: { file },
      });
  });

  it('compiles rule files and returns warnings like a multipart deploy', async () => {
    const files = {
      'index.html': randomText(),
      'Index.html': 'x',
      '.hidden': 'x',
      _redirects: '/old /new 301\nnonsense\n',
      'ship.json': '{"cleanUrls":true,"unknown":1}',
    };
    const { body: multipart } = await deploySite(core, caller, files);
    const delta = await publishDelta(core, caller, files);
    expect(multipart.warnings!.length).toBeGreaterThan(2);
    expect(delta.warnings).toEqual(multipart.warnings);
    const [one, two] = await Promise.all(
      [multipart, delta].map(({ deployment }) =>
        test.database.query('select paths, hashes, sizes, rules from manifest where deployment_id = $1', [deployment]),
      ),
    );
    expect(two).toEqual(one);
  });
});

describe('P10: an open upload', () => {
  it('can be committed for 24 hours, even if the deployment with its other files is deleted and swept', async () => {
    const files = { 'spared.html': randomText(), 'brought.html': randomText() };
    const { deployment } = await publishDelta(core, caller, { 'spared.html': files['spared.html'] });
    const begunUpload = await uploadAll(core, caller, files);
    await deleteDeployment({ core, caller }, deployment);
    test.advance(24 * HOUR_SECONDS - 60);
    await sweep(core);
    await sweepAll(test);
    await expectSwept(test);
    expect(await readText(core, (await commitAs(begunUpload.upload)).deployment)).toEqual(files);
  });

  it('is not found after 24 hours, and the sweep removes its rows and contents', async () => {
    const files = { 'index.html': randomText() };
    const begunUpload = await begin(core, caller, { files: listOf(files) }, 'expires');
    await sendMissing(core, caller, begunUpload, files);
    const uploads = () => test.database.query('select 1 from upload_content c, upload_pack p');
    const contents = () =>
      test.database.query(`select 1 from content where encode(hash, 'hex') = $1`, [sha256Of(files['index.html'])]);
    expect([(await uploads()).length > 0, (await contents()).length]).toEqual([true, 1]);
    test.advance(24 * HOUR_SECONDS);
    expect(await refusal(commitAs(begunUpload.upload))).toMatchObject({ status: 404 });
    const repeatedUpload = await begin(core, caller, { files: listOf({ a: 'a' }) }, 'expires');
    expect(repeatedUpload.upload).toBe(begunUpload.upload);
    await sweepAll(test);
    await expectSwept(test);
    expect([await uploads(), await contents()]).toEqual([[], []]);
  });

  it('refers to no packs after the commit, which can be repeated for 24 hours', async () => {
    const files = { 'index.html': randomText() };
    const begunUpload = await uploadAll(core, caller, files);
    test.advance(23 * HOUR_SECONDS);
    const body = await commitAs(begunUpload.upload);
    test.advance(23 * HOUR_SECONDS);
    await sweepAll(test);
    expect(await commitAs(begunUpload.upload)).toEqual(body);
    await deleteDeployment({ core, caller }, body.deployment);
    await sweepAll(test);
    await expectSwept(test);
    expect(await commitAs(begunUpload.upload)).toEqual(body);
    test.advance(2 * HOUR_SECONDS);
    expect(await refusal(commitAs(begunUpload.upload))).toMatchObject({ status: 404 });
  });
});
