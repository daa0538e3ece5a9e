import { randomBytes } from 'node:crypto';
import { ANONYMOUS_PLAN, DEFAULT_PLANS } from '@berth/contract';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPlans } from '../../../src/services/accounts/plans.ts';
import { commitUpload } from '../../../src/services/uploads/commit-upload.ts';
import { receiveContents } from '../../../src/services/uploads/receive-contents.ts';
import { ANONYMOUS, createTestCore, deploySite, readSite, refusal } from '@berth/testing/core';
import { expectSound, stateOf } from '@berth/testing/invariants';
import { begin, listOf, publishDelta, send, type Sent, sha256Of, type UploadFiles } from '@berth/testing/uploads';

const LIMITS = { maxFileSize: 1_000, maxFilesCount: 6, maxTotalSize: 3_000 };

let before: Awaited<ReturnType<typeof stateOf>>;
const free = DEFAULT_PLANS.find(({ plan }) => plan === ANONYMOUS_PLAN)!;
const test = await createTestCore({ plans: createPlans([{ ...free, limits: LIMITS }]) });
const { core } = test;
const { caller } = await test.account();
const base = (await deploySite(core, caller, { 'index.html': 'home', a: '1' })).body.deployment;
beforeEach(async () => void (before = await stateOf(test)));
afterEach(() => expectSound(test));
afterAll(() => test.close());

const file = (path: string, bytes = '') => listOf({ [path]: bytes })[0]!;

describe('api §3, §9: beginning an upload is refused, and changes nothing', () => {
  const cases: [title: string, files: object[], refusal: object][] = [
    ['a path that leaves the site (T1)', [file('../x')], { status: 400, details: { file: '../x' } }],
    ['a path in Windows style (T1)', [file('a\\b')], { status: 400 }],
    ['an empty path (T1)', [file('')], { status: 400, details: { file: '(empty)' } }],
    ['one path twice (T2)', [file('x'), file('./x')], { status: 400, details: { file: 'x' } }],
    [
      'one name in two forms of Unicode (T2)',
      [file('\u00e9'), file('e\u0301')],
      { status: 400, details: { file: '\u00e9' } },
    ],
    ['a file that is a folder (T2)', [file('x'), file('x/y')], { status: 400, details: { file: 'x/y' } }],
    ['a folder that is a file (T2)', [file('x/y'), file('x')], { status: 400, details: { file: 'x/y' } }],
    ['a program', [file('setup.exe')], { status: 400, details: { file: 'setup.exe' } }],
    ['a repository', [file('.git/config')], { status: 400, details: { file: '.git/config' } }],
    ['secrets of an environment', [file('.env.local')], { status: 400, details: { file: '.env.local' } }],
    ['a private key', [file('id_rsa')], { status: 400, details: { file: 'id_rsa' } }],
    ['an unbuilt project', [file('node_modules/x.js')], { status: 400 }],
    ['nothing but junk', [file('.DS_Store')], { status: 400 }],
    [
      'a file that is too large (T4)',
      [file('x', 'x'.repeat(LIMITS.maxFileSize + 1))],
      { status: 413, details: { limit: 'maxFileSize', max: LIMITS.maxFileSize, file: 'x' } },
    ],
    [
      'files that are too large together (T4)',
      [1, 2, 3, 4].map((n) => file(`${n}`, `${n}`.repeat(800))),
      { status: 413, details: { limit: 'maxTotalSize', max: LIMITS.maxTotalSize, file: '4' } },
    ],
    [
      'too many files (T4)',
      Array.from({ length: LIMITS.maxFilesCount + 1 }, (_, n) => file(`${n}`)),
      { status: 413, details: { limit: 'maxFilesCount', max: LIMITS.maxFilesCount } },
    ],
    [
      'one content of two sizes (T7)',
      [file('x', 'one'), { ...file('y', 'one'), size: 4 }],
      { status: 400, details: { file: 'y' } },
    ],
    [
      'a size that a published content does not have (T7)',
      [{ ...file('x', 'home'), size: 5 }],
      { status: 400, details: { file: 'x' } },
    ],
  ];
  it.each(cases)('%s', async (_, files, expected) => {
    expect(await refusal(begin(core, caller, { files }))).toMatchObject(expected);
    expect(await stateOf(test)).toEqual(before);
  });
  it.each(cases.filter(([title]) => !/junk|two forms/.test(title)))('%s, put to a base', async (_, put, expected) => {
    expect(await refusal(begin(core, caller, { base, put, remove: [] }))).toMatchObject(expected);
    expect(await stateOf(test)).toEqual(before);
  });

  it.each<[string, object, object]>([
    ['neither files nor a base', {}, { path: ['files'] }],
    ['files and a base', { files: [file('x')], base: 'x', put: [], remove: [] }, { path: ['base'] }],
    ['a base without put', { base: 'x', remove: [] }, { path: ['put'] }],
    ['no files', { files: [] }, { path: ['files'] }],
    ['a negative size', { files: [{ ...file('x'), size: -1 }] }, { path: ['files', 0, 'size'] }],
    ['a hash in capitals', { files: [{ ...file('x'), sha256: 'A'.repeat(64) }] }, { path: ['files', 0, 'sha256'] }],
    [
      'a hash of another length',
      { files: [{ ...file('x'), sha256: 'a'.repeat(63) }] },
      { path: ['files', 0, 'sha256'] },
    ],
  ])('%s', async (_, input, issue) => {
    await expect((async () => begin(core, caller, input))()).rejects.toMatchObject({ issues: [issue] });
  });

  it('a path that is put and removed, everything removed, and a ttl without a credential', async () => {
    const put = listOf({ x: 'x' });
    expect(await refusal(begin(core, caller, { base, put, remove: ['/x'] }))).toMatchObject({ status: 400 });
    expect(await refusal(begin(core, caller, { base, put: [], remove: ['index.html', 'a'] }))).toMatchObject({
      status: 400,
    });
    expect(await refusal(begin(core, ANONYMOUS, { files: put, ttl: 60 }))).toMatchObject({ status: 403 });
    expect(await stateOf(test)).toEqual(before);
  });

  it('except for junk, which is dropped, and neither counted nor requested', async () => {
    const files = { x: randomBytes(8).toString('hex'), '.DS_Store': 'junk', '__MACOSX/y': 'z'.repeat(900) };
    const begunUpload = await begin(core, caller, { files: listOf(files) });
    expect(begunUpload.missing).toEqual([sha256Of(files.x)]);
    expect(await publishDelta(core, caller, files)).toMatchObject({ files: 1, size: 16 });
  });
});

describe('api §9: a body of contents', () => {
  const three = (): UploadFiles =>
    Object.fromEntries(['a', 'b', 'c'].map((path) => [path, randomBytes(20).toString('hex')]));
  const upload = async (files: UploadFiles) => (await begin(core, caller, { files: listOf(files) })).upload;
  const missing = async (name: string) => (await send(core, caller, name, [])).missing;

  it.each<[string, (files: UploadFiles) => Sent, object]>([
    ['a content that was not requested', () => ({ bytes: 'other' }), { status: 400 }],
    ['a content that is longer than announced', ({ c }) => ({ bytes: c!, length: 41 }), { status: 400 }],
    ['a content that is shorter than announced', ({ c }) => ({ bytes: c!, length: 39 }), { status: 400 }],
    ['a content that is sent twice', ({ a }) => ({ bytes: a! }), { status: 400 }],
  ])('refuses %s as soon as it begins', async (_, spoil, expected) => {
    const files = three();
    const name = await upload(files);
    expect(await refusal(send(core, caller, name, [{ bytes: files['a']! }, spoil(files)]))).toMatchObject(expected);
    expect(core.activePacks.size).toBe(0);
  });

  it('refuses bytes that do not match the SHA-256, naming the file, and keeps the other contents', async () => {
    const files = three();
    const name = await upload(files);
    const spoiled = { bytes: 'x'.repeat(40), sha256: sha256Of(files['b']!) };
    expect(
      await refusal(send(core, caller, name, [{ bytes: files['a']! }, spoiled, { bytes: files['c']! }])),
    ).toMatchObject({ status: 400, details: { file: 'b' } });
    expect(await missing(name)).toBe(1);
    expect(await send(core, caller, name, [{ bytes: files['b']! }])).toEqual({ received: 1, missing: 0 });
    const { deployment } = await commitUpload({ core, caller }, name);
    expect(
      Object.fromEntries(Object.entries((await readSite(core, deployment))!).map(([k, v]) => [k, String(v)])),
    ).toEqual(files);
  });

  it('T6: keeps the complete contents if its connection breaks, and nothing of the incomplete one', async () => {
    const files = three();
    const name = await upload(files);
    expect(await send(core, caller, name, [{ bytes: files['a']! }, { bytes: files['b']!, cut: 39 }])).toEqual({
      received: 1,
      missing: 2,
    });
    expect(await send(core, caller, name, [{ bytes: files['b']!, cut: 0 }])).toEqual({ received: 0, missing: 2 });
    expect(core.activePacks.size).toBe(0);
    expect(await test.database.query(`select 1 from pack where state <> 'sealed'`)).toEqual([]);
  });

  it('can contain contents that were already received, also concurrently', async () => {
    const files = three();
    const name = await upload(files);
    const all = Object.values(files).map((bytes) => ({ bytes }));
    const answers = await Promise.all(Array.from({ length: 4 }, () => send(core, caller, name, all)));
    for (const { received } of answers) expect(received).toBe(3);
    expect(await missing(name)).toBe(0);
    expect(await test.database.query(`select 1 from pack where state <> 'sealed'`)).toEqual([]);
  });

  it('is limited to the size of the missing contents', async () => {
    const files = three();
    const body = await receiveContents({ core, caller }, await upload(files));
    expect(body.maxBytes).toBe(3 * (40 + 40));
    await body.close();
  });
});
