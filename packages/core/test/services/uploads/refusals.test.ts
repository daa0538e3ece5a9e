import { randomBytes } from 'node:crypto';
import { ANONYMOUS_PLAN, DEFAULT_PLANS } from '@berth/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPlans } from '../../../src/services/accounts/plans.ts';
import { commitUpload } from '../../../src/services/uploads/commit-upload.ts';
import { receiveContents } from '../../../src/services/uploads/receive-contents.ts';
import { ANONYMOUS, useTestCore, deploySite, readText, refusal } from '@berth/testing/core';
import { expectSound, stateOf } from '@berth/testing/invariants';
import { begin, listOf, publishDelta, send, type Sent, sha256Of, type UploadFiles } from '@berth/testing/uploads';

const LIMITS = { maxFileSize: 1_000, maxFilesCount: 6, maxTotalSize: 3_000 };

let stateBefore: Awaited<ReturnType<typeof stateOf>>;
const freePlan = DEFAULT_PLANS.find(({ plan }) => plan === ANONYMOUS_PLAN)!;
const test = await useTestCore({ plans: createPlans([{ ...freePlan, limits: LIMITS }]) });
const { core } = test;
const { caller } = await test.account();
const base = (await deploySite(core, caller, { 'index.html': 'home', a: '1' })).body.deployment;
beforeEach(async () => void (stateBefore = await stateOf(test)));
afterEach(() => expectSound(test));

const file = (path: string, bytes = '') => listOf({ [path]: bytes })[0]!;
const largeFile = (path: string, size: number) => file(path, path.repeat(size));

describe('api §3, §9: beginning an upload', () => {
  const cases: [title: string, files: object[], status: number, details: object][] = [
    ['a path that leaves the site (T1)', [file('../x')], 400, { file: '../x' }],
    ['an empty path (T1)', [file('')], 400, { file: '(empty)' }],
    ['one path twice (T2)', [file('x'), file('./x')], 400, { file: 'x' }],
    ['one name in two forms of Unicode (T2)', [file('\u00e9'), file('e\u0301')], 400, { file: '\u00e9' }],
    ['a file that is a folder (T2)', [file('x'), file('x/y')], 400, { file: 'x/y' }],
    ['a program', [file('setup.exe')], 400, { file: 'setup.exe' }],
    [
      'two programs and an invalid name',
      [file('a.exe'), file('x'), file('b.exe'), file('../c')],
      400,
      { file: 'a.exe', issues: [{ path: 'a.exe' }, { path: 'b.exe' }, { path: '../c' }] },
    ],
    ['nothing but junk', [file('.DS_Store')], 400, {}],
    ['a file that is too large (T4)', [largeFile('x', 1_001)], 413, { limit: 'maxFileSize', max: 1_000, file: 'x' }],
    [
      'files that are too large together (T4)',
      ['1', '2', '3', '4'].map((path) => largeFile(path, 800)),
      413,
      { limit: 'maxTotalSize', max: 3_000, file: '4' },
    ],
    ['too many files (T4)', [...'1234567'].map((path) => file(path)), 413, { limit: 'maxFilesCount', max: 6 }],
    ['one content of two sizes (T7)', [file('x', 'one'), { ...file('y', 'one'), size: 4 }], 400, { file: 'y' }],
    ['a size that a published content does not have (T7)', [{ ...file('x', 'home'), size: 5 }], 400, { file: 'x' }],
  ];
  it.each(cases)('is refused for %s, and changes nothing', async (title, files, status, details) => {
    expect(await refusal(begin(core, caller, { files }))).toMatchObject({ status, details });
    if (!/junk|two forms/.test(title))
      expect(await refusal(begin(core, caller, { base, put: files, remove: [] }))).toMatchObject({ status, details });
    expect(await stateOf(test)).toEqual(stateBefore);
  });

  it.each<[string, object, object]>([
    ['neither files nor a base', {}, { path: ['files'] }],
    ['files and a base', { files: [file('x')], base: 'x', put: [], remove: [] }, { path: ['base'] }],
    ['a base without put', { base: 'x', remove: [] }, { path: ['put'] }],
    ['no files', { files: [] }, { path: ['files'] }],
    ['a negative size', { files: [{ ...file('x'), size: -1 }] }, { path: ['files', 0, 'size'] }],
    ['a hash in capitals', { files: [{ ...file('x'), sha256: 'A'.repeat(64) }] }, { path: ['files', 0, 'sha256'] }],
    [
      'a hash that is too short',
      { files: [{ ...file('x'), sha256: 'a'.repeat(63) }] },
      { path: ['files', 0, 'sha256'] },
    ],
  ])('is refused as invalid if the request has %s', async (_, input, issue) => {
    await expect((async () => begin(core, caller, input))()).rejects.toMatchObject({ issues: [issue] });
  });

  it('is refused if a path is put and removed, if no file remains, and if an anonymous upload has a ttl', async () => {
    const putFiles = listOf({ x: 'x' });
    const emptyingUpload = { base, put: [], remove: ['index.html', 'a'] };
    expect(await refusal(begin(core, caller, { base, put: putFiles, remove: ['/x'] }))).toMatchObject({ status: 400 });
    expect(await refusal(begin(core, caller, emptyingUpload))).toMatchObject({ status: 400 });
    expect(await refusal(begin(core, ANONYMOUS, { files: putFiles, ttl: 60 }))).toMatchObject({ status: 403 });
    expect(await stateOf(test)).toEqual(stateBefore);
  });

  it('drops junk files, which neither count as files nor are missing', async () => {
    const files = { x: randomBytes(8).toString('hex'), '.DS_Store': 'junk', '__MACOSX/y': 'z'.repeat(900) };
    const begunUpload = await begin(core, caller, { files: listOf(files) });
    expect(begunUpload.missing).toEqual([sha256Of(files.x)]);
    expect(await publishDelta(core, caller, files)).toMatchObject({ files: 1, size: 16 });
  });
});

describe('api §9: a body of contents', () => {
  const threeFiles = (): UploadFiles =>
    Object.fromEntries(['a', 'b', 'c'].map((path) => [path, randomBytes(20).toString('hex')]));
  const upload = async (files: UploadFiles) => (await begin(core, caller, { files: listOf(files) })).upload;

  it.each<[string, (files: UploadFiles) => Sent]>([
    ['a content that was not requested', () => ({ bytes: 'other' })],
    ['a content that is longer than announced', ({ c }) => ({ bytes: c!, length: 41 })],
    ['a content that is shorter than announced', ({ c }) => ({ bytes: c!, length: 39 })],
    ['a content that is sent twice', ({ a }) => ({ bytes: a! })],
  ])('is refused as soon as it begins %s', async (_, spoil) => {
    const files = threeFiles();
    const contents = [{ bytes: files['a']! }, spoil(files)];
    expect(await refusal(send(core, caller, await upload(files), contents))).toMatchObject({ status: 400 });
    expect(core.activePacks.size).toBe(0);
  });

  it('is refused if a content does not match its SHA-256; the error names the file, and the other contents are kept', async () => {
    const files = threeFiles();
    const name = await upload(files);
    const spoiled = { bytes: 'x'.repeat(40), sha256: sha256Of(files['b']!) };
    const contents = [{ bytes: files['a']! }, spoiled, { bytes: files['c']! }];
    expect(await refusal(send(core, caller, name, contents))).toMatchObject({ status: 400, details: { file: 'b' } });
    expect(await send(core, caller, name, [])).toEqual({ received: 0, missing: 1 });
    expect(await send(core, caller, name, [{ bytes: files['b']! }])).toEqual({ received: 1, missing: 0 });
    const { deployment } = await commitUpload({ core, caller }, name);
    expect(await readText(core, deployment)).toEqual(files);
  });

  it('can be at most as large as the missing contents', async () => {
    const files = threeFiles();
    const body = await receiveContents({ core, caller }, await upload(files));
    expect(body.maxBytes).toBe(3 * (40 + 40));
    await body.close();
  });
});
