import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { AccountCaller, AnonymousCaller, Caller, Core } from '../../../src/core.ts';
import { openDatabase } from '../../../src/database/database.ts';
import { abortUpload } from '../../../src/services/uploads/uploads.ts';
import { commitUpload } from '../../../src/services/uploads/commit-upload.ts';
import { receiveContents } from '../../../src/services/uploads/receive-contents.ts';
import { createTestCore, refusal } from '@berth/testing/core';
import { stateOf, closeSwept } from '@berth/testing/invariants';
import { begin, listOf, publishDelta, send, sendMissing, uploadAll } from '@berth/testing/uploads';

const MAX_PER_CREDENTIAL = 20;
const MAX_PER_ADDRESS = 3;
const IDLE_SECONDS = 600;

let caller: AccountCaller;
let token: AccountCaller;
const test = await createTestCore();
const { core } = test;
beforeEach(async () => {
  ({ caller } = await test.account('pro'));
  token = await test.deployToken(caller);
});
afterAll(() => closeSwept(test));

const files = () => ({ 'index.html': randomUUID() });
const open = (by: Caller) => begin(core, by, { files: listOf(files()) });
const abortAs = (upload: string, by: Caller = caller) => abortUpload({ core, caller: by }, upload);
const UPLOAD_NOT_FOUND = { status: 404, message: 'There is no such upload.' };

describe('api §9: an upload that is aborted', () => {
  it('is removed at once, with its references to packs', async () => {
    const stateBefore = await stateOf(test);
    const site = files();
    const begunUpload = await uploadAll(core, caller, site);
    expect(await abortAs(begunUpload.upload)).toEqual({ upload: begunUpload.upload });
    expect(await stateOf(test)).toMatchObject({
      upload: stateBefore.upload,
      upload_content: stateBefore.upload_content,
    });
    expect(await stateOf(test)).toMatchObject({ upload_pack: stateBefore.upload_pack });
    for (const call of [
      () => abortAs(begunUpload.upload),
      () => send(core, caller, begunUpload.upload, []),
      () => commitUpload({ core, caller }, begunUpload.upload),
    ])
      expect(await refusal(call())).toMatchObject(UPLOAD_NOT_FOUND);
  });

  it('can be begun again with the same key, even if another credential of the account aborted it', async () => {
    const input = { files: listOf(files()) };
    const { upload, missing } = await begin(core, caller, input, 'again');
    await abortAs(upload, token);
    expect(await begin(core, caller, input, 'again')).toEqual({ upload, missing });
  });

  it('refuses a body of contents that was being sent', async () => {
    const site = files();
    const begunUpload = await begin(core, caller, { files: listOf(site) });
    const body = await receiveContents({ core, caller }, begunUpload.upload);
    const sink = body.begin(begunUpload.missing[0]!, site['index.html'].length);
    await sink.write(Buffer.from(site['index.html']));
    sink.end();
    await abortAs(begunUpload.upload);
    expect(await refusal(body.keep())).toMatchObject({ status: 422, details: { state: 'over' } });
    await body.close();
  });
});

describe.each([
  ['a credential', MAX_PER_CREDENTIAL, () => caller],
  ['an anonymous address', MAX_PER_ADDRESS, () => ({ kind: 'anonymous', address: '192.0.2.77' }) as AnonymousCaller],
] as const)('api §9: open uploads of %s', (_, maxUploads, by) => {
  it('are limited: a further upload is refused with the time after which to retry, unless an upload is idle', async () => {
    const uploads = await Promise.all(Array.from({ length: maxUploads }, () => open(by())));
    test.advance(60);
    const error = await refusal(open(by()));
    expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    expect(error.retryAfterSeconds).toBeGreaterThan(IDLE_SECONDS - 70);
    expect(error.retryAfterSeconds).toBeLessThanOrEqual(IDLE_SECONDS - 60);
    for (const { upload } of uploads) await abortAs(upload, by());
    await abortAs((await open(by())).upload, by());
  });

  it('never exceed the limit, even if requests arrive at once', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: maxUploads + 5 }, () => open(by())));
    const openedUploads = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(openedUploads).toHaveLength(maxUploads);
    for (const { upload } of openedUploads) await abortAs(upload, by());
  });

  it('are dropped for a further upload after 10 idle minutes, the longest idle first', async () => {
    const site = files();
    const usedUpload = await begin(core, by(), { files: listOf(site) });
    test.advance(1);
    const idlest = await open(by());
    test.advance(1);
    const otherUploads = [];
    for (let i = 2; i < maxUploads; i += 1) otherUploads.push(await open(by()));
    test.advance(IDLE_SECONDS);
    await send(core, by(), usedUpload.upload, []);
    const additionalUpload = await open(by());
    expect(await refusal(send(core, by(), idlest.upload, []))).toMatchObject(UPLOAD_NOT_FOUND);
    for (const { upload } of [usedUpload, ...otherUploads, additionalUpload]) {
      await send(core, by(), upload, []);
      await abortAs(upload, by());
    }
  });

  it('do not count against the limit after they were committed or have expired', async () => {
    for (let i = 0; i < maxUploads; i += 1) await publishDelta(core, by(), files());
    for (let i = 0; i < maxUploads; i += 1) await open(by());
    test.advance(24 * 3_600);
    await abortAs((await open(by())).upload, by());
  });
});

describe('api §9: open uploads of one account', () => {
  it('count for each credential of the account separately', async () => {
    await Promise.all(Array.from({ length: MAX_PER_CREDENTIAL }, () => open(caller)));
    expect(await refusal(open(caller))).toMatchObject({ status: 429 });
    await open(token);
  });
});

const rows = async () => {
  const [row] = await test.database.query<{ contents: number; packs: number; bytes: number }>(`
    select (select count(*)::int from upload_content) as contents, (select count(*)::int from upload_pack) as packs,
      (select coalesce(sum(octet_length(hashes)), 0)::int from upload_content) as bytes`);
  return row!;
};
const manyFiles = () => Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`${i}.txt`, randomUUID()]));

describe('api §9: contents that were already received', () => {
  it('are accepted and ignored, so that a body can be repeated', async () => {
    const site = manyFiles();
    const begunUpload = await uploadAll(core, caller, site);
    const rowsBefore = await rows();
    for (let i = 0; i < 5; i += 1)
      expect(await sendMissing(core, caller, begunUpload, site)).toEqual({ received: 20, missing: 0 });
    for (let i = 0; i < 5; i += 1)
      expect(await send(core, caller, begunUpload.upload, [])).toEqual({ received: 0, missing: 0 });
    expect(await rows()).toEqual(rowsBefore);
    await commitUpload({ core, caller }, begunUpload.upload);
  });

  it('are recorded once if the same body arrives eight times at once', async () => {
    const rowsBefore = await rows();
    const site = manyFiles();
    const begunUpload = await begin(core, caller, { files: listOf(site) });
    await Promise.all(Array.from({ length: 8 }, () => sendMissing(core, caller, begunUpload, site)));
    expect((await rows()).bytes - rowsBefore.bytes).toBe(20 * 32);
    expect(await test.database.query(`select 1 from pack where state <> 'sealed'`)).toEqual([]);
    await commitUpload({ core, caller }, begunUpload.upload);
  });

  it('are ignored, while new contents in the same body are recorded', async () => {
    const site = manyFiles();
    const allContents = Object.values(site).map((bytes) => ({ bytes }));
    const { upload } = await begin(core, caller, { files: listOf(site) });
    const rowsBefore = await rows();
    expect(await send(core, caller, upload, allContents.slice(0, 8))).toEqual({ received: 8, missing: 12 });
    expect(await send(core, caller, upload, allContents.slice(4, 20))).toEqual({ received: 16, missing: 0 });
    expect((await rows()).bytes - rowsBefore.bytes).toBe(20 * 32);
    await commitUpload({ core, caller }, upload);
  });

  it('are not written to the disk', async () => {
    const largeContent = randomBytes(3_000_000);
    const begunUpload = await begin(core, caller, { files: listOf({ 'big.bin': largeContent }) });
    await send(core, caller, begunUpload.upload, [{ bytes: largeContent }]);
    const failToCreate = () => Promise.reject(new Error('Unexpected file'));
    const readOnly = { ...core, packs: { ...core.packs, create: failToCreate } };
    expect(await send(readOnly, caller, begunUpload.upload, [{ bytes: largeContent }])).toEqual({
      received: 1,
      missing: 0,
    });
    await commitUpload({ core, caller }, begunUpload.upload);
  });
});

describe('api §9: concurrent commits of one upload', () => {
  it('run one after the other and return the same deployment', async () => {
    const site = manyFiles();
    const begunUpload = await uploadAll(core, caller, site);
    const database = openDatabase(test.database.address, { poolSize: 4 });
    let running = 0;
    let maxRunning = 0;
    const countingCore: Core = {
      ...core,
      database: {
        ...database,
        async transaction(work) {
          maxRunning = Math.max(maxRunning, (running += 1));
          try {
            return await database.transaction(work);
          } finally {
            running -= 1;
          }
        },
      },
    };
    const commits = Array.from({ length: 100 }, () => commitUpload({ core: countingCore, caller }, begunUpload.upload));
    expect(new Set((await Promise.all(commits)).map(({ deployment }) => deployment)).size).toBe(1);
    expect(maxRunning).toBe(1);
    await database.close();
  });
});
