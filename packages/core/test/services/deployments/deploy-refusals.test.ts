import type { Plan } from '@berth/contract';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { beginDeploy } from '../../../src/services/deployments/deploy.ts';
import { maxFileParts } from '../../../src/services/deployments/file-rules.ts';
import { createPlans } from '../../../src/services/accounts/plans.ts';
import { ANONYMOUS, checksumsOf, createTestCore, deploySite, type TestFiles } from '@berth/testing/core';
import { stateOf } from '@berth/testing/invariants';

const LIMITS = { maxFileSize: 1_000, maxFilesCount: 5, maxTotalSize: 3_000 };
const SMALL: Plan = { plan: 'free', name: 'Small', price: { month: 0, year: 0 }, caps: null, limits: LIMITS };
const MD5_OF_A = '0cc175b9c0f1b6a831c399e269772661';
const MD5_OF_B = '92eb5ffee6ae2fec3ad71c777531578f';

let before: Awaited<ReturnType<typeof stateOf>>;
const test = await createTestCore({ plans: createPlans([SMALL]) });
const { caller } = await test.account();
await deploySite(test.core, caller, { kept: 'kept' });
afterAll(async () => {
  expect(await Array.fromAsync(test.core.packs.list())).toHaveLength(1);
  await test.close();
});
beforeEach(async () => {
  before = await stateOf(test);
});
// Each refusal below must leave rows, counters and packs unchanged.
afterEach(async () => {
  expect(await stateOf(test)).toEqual(before);
});

/** Asserts that a deploy is refused with 400 naming one field. */
async function expectInvalid(
  files: TestFiles,
  fields: Record<string, string | null>,
  path: string,
  message: string,
): Promise<void> {
  const refusal = {
    code: 'validation_failed',
    status: 400,
    details: { issues: [{ path, message: expect.stringContaining(message) }] },
    message: expect.stringContaining(message),
  };
  await expect(deploySite(test.core, caller, files, { fields })).rejects.toMatchObject(refusal);
}

async function expectInvalidFile(files: TestFiles, file: string, message: string): Promise<void> {
  const refusal = {
    code: 'validation_failed',
    status: 400,
    details: { file },
    message: expect.stringContaining(message),
  };
  await expect(deploySite(test.core, caller, files)).rejects.toMatchObject(refusal);
}

const two = { a: 'a', b: 'b' };

describe('T7: checksums', () => {
  it.each<[string, string | null, string, string]>([
    ['missing', null, 'checksums', 'is missing'],
    ['empty', '', 'checksums', 'must be a JSON array'],
    ['not JSON', 'md5', 'checksums', 'must be a JSON array'],
    ['cut off', `["${MD5_OF_A}",`, 'checksums', 'must be a JSON array'],
    ['an object', `{"0":"${MD5_OF_A}"}`, 'checksums', 'expected array'],
    ['a text', `"${MD5_OF_A}"`, 'checksums', 'expected array'],
    ['null', 'null', 'checksums', 'expected array'],
    ['with a number in it', `["${MD5_OF_A}",1]`, 'checksums.1', 'expected string'],
    ['with a short one', `["${MD5_OF_A}","${MD5_OF_B.slice(1)}"]`, 'checksums.1', '32 hex digits'],
    ['with one that is not hex', `["${MD5_OF_A}","${'g'.repeat(32)}"]`, 'checksums.1', '32 hex digits'],
    [
      'too few',
      `["${MD5_OF_A}"]`,
      'checksums',
      'must have one MD5 for each file, in order: there are 1 for 2 file parts',
    ],
    [
      'too many',
      `["${MD5_OF_A}","${MD5_OF_B}","${MD5_OF_B}"]`,
      'checksums',
      'must have one MD5 for each file, in order: there are 3 for 2 file parts',
    ],
    ['none', '[]', 'checksums', 'must have one MD5 for each file, in order: there are 0 for 2 file parts'],
  ])('that are %s are refused', async (_, checksums, path, message) => {
    await expectInvalid(two, { checksums }, path, message);
  });

  it.each([
    ['swapped', [MD5_OF_B, MD5_OF_A], 'a', `${MD5_OF_A}, but checksums[0] is ${MD5_OF_B}`],
    ['doubled', [MD5_OF_A, MD5_OF_A], 'b', `${MD5_OF_B}, but checksums[1] is ${MD5_OF_A}`],
    ['of other bytes', [MD5_OF_A, '0'.repeat(32)], 'b', `${MD5_OF_B}, but checksums[1] is 000`],
  ])('that are %s are refused, naming the first path that differs', async (_, checksums, file, message) => {
    const refusal = { code: 'validation_failed', details: { file }, message: expect.stringContaining(message) };
    await expect(
      deploySite(test.core, caller, two, { fields: { checksums: JSON.stringify(checksums) } }),
    ).rejects.toMatchObject(refusal);
  });

  it('that leave out the junk are refused', async () => {
    await expectInvalid(
      { '.DS_Store': 'junk', a: 'a' },
      { checksums: `["${MD5_OF_A}"]` },
      'checksums',
      'must have one MD5 for each file, in order: there are 1 for 2 file parts',
    );
  });

  it('can be nested very deep without harm', async () => {
    await expectInvalid(
      two,
      { checksums: '['.repeat(50_000) + ']'.repeat(50_000) },
      'checksums',
      'must be a JSON array',
    );
  });
});

describe('api §3: fields', () => {
  it.each([
    ['labels', 'one', 'labels', 'must be a JSON array'],
    ['labels', '', 'labels', 'must be a JSON array'],
    ['labels', '"one"', 'labels', 'expected array'],
    ['labels', '["ab"]', 'labels.0', 'at least 3 characters'],
    ['labels', '["good","Bad"]', 'labels.1', 'lower-case'],
    ['labels', JSON.stringify(Array.from({ length: 11 }, (_, i) => `label-${i}`)), 'labels', 'at most 10 labels'],
    ['password', 'short', 'password', '6 to 128 characters'],
    ['password', '', 'password', '6 to 128 characters'],
    ['password', `  ${'x'.repeat(5)}  `, 'password', '6 to 128 characters'],
    ['password', 'x'.repeat(129), 'password', '6 to 128 characters'],
    ['ttl', '0', 'ttl', 'at least 1 second'],
    ['ttl', '-1', 'ttl', 'at least 1 second'],
    ['ttl', '31536001', 'ttl', 'at most 365 days'],
    ['ttl', '1.5', 'ttl', 'whole seconds'],
    ['ttl', '1e3', 'ttl', 'whole seconds'],
    ['ttl', '0x10', 'ttl', 'whole seconds'],
    ['ttl', ' 60', 'ttl', 'whole seconds'],
    ['ttl', '060', 'ttl', 'whole seconds'],
    ['ttl', '', 'ttl', 'whole seconds'],
    ['ttl', '1h', 'ttl', 'whole seconds'],
    ['ttl', '9'.repeat(400), 'ttl', 'whole seconds'],
    ['colour', 'blue', 'colour', 'unknown field'],
    ['Labels', '[]', 'Labels', 'unknown field'],
    ['', 'x', '', 'unknown field'],
    ['files[]', 'x', 'files[]', 'a file part must carry a filename'],
  ])('%s of %j is refused, naming it', async (field, value, path, message) => {
    await expectInvalid(two, { [field]: value }, path, message);
  });

  it.each([['checksums'], ['labels'], ['password'], ['via'], ['ttl']])('%s given twice is refused', async (field) => {
    const deploy = await beginDeploy({ core: test.core, caller }, null);
    deploy.form.add(field, '[]');
    expect(() => deploy.form.add(field, '[]')).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        details: { issues: [{ path: field, message: 'the field must be sent only once' }] },
      }),
    );
    await deploy.close();
  });

  it('__proto__ is an unknown field like any other', async () => {
    const deploy = await beginDeploy({ core: test.core, caller }, null);
    for (const field of ['__proto__', 'constructor', 'toString'])
      expect(() => deploy.form.add(field, '1')).toThrow(
        expect.objectContaining({
          code: 'validation_failed',
          details: { issues: [expect.objectContaining({ path: field })] },
        }),
      );
    await deploy.close();
  });

  it('ttl without a credential is 403', async () => {
    await expect(deploySite(test.core, ANONYMOUS, two, { fields: { ttl: '60' } })).rejects.toMatchObject({
      code: 'forbidden',
      status: 403,
    });
  });
});

describe('api §3: files', () => {
  it('are required', async () => {
    await expectInvalid({}, {}, 'files[]', 'at least one file');
  });

  it('are refused if all of them are junk', async () => {
    await expectInvalid({ '.DS_Store': 'x', 'a/Thumbs.db': 'y' }, {}, 'files[]', 'at least one file');
  });

  it.each([
    ['../x', '"." or ".."'],
    ['a\\b', 'separated by "/"'],
    ['a%2fb', 'this one has %'],
    ['C:/x', 'relative'],
  ])('named %s are refused, naming them', async (name, message) => {
    await expectInvalidFile({ ok: '1', [name]: '2' }, name, message);
  });

  it('T9: with unprintable names are named in a printable form', async () => {
    await expectInvalidFile(
      { 'a\r\nSet-Cookie: x\u202e\ud800': '1' },
      'a\ufffd\ufffdSet-Cookie: x\ufffd\ufffd',
      'UTF-8',
    );
    await expectInvalidFile({ '': '1' }, '(empty)', 'empty');
    await expectInvalidFile({ ['x'.repeat(5_000)]: '1' }, 'x'.repeat(200), 'at most 1024 bytes');
  });

  it.each<[string, [string, string], string, string]>([
    ['the same name twice', ['a', 'a'], 'a', 'two parts name the same file'],
    ['two forms of one name', ['\u00e9', 'e\u0301'], '\u00e9', 'two parts name the same file'],
    ['a name with and without a slash', ['/a', 'a'], 'a', 'two parts name the same file'],
    ['a name with and without ./', ['./a', 'a'], 'a', 'two parts name the same file'],
    ['a file and its folder', ['a', 'a/b'], 'a/b', 'a file cannot also be a folder (a and a/b)'],
  ])('T2: %s are refused in both orders', async (_, [one, other], file, message) => {
    await expectInvalidFile(
      [
        [one, '1'],
        [other, '2'],
      ],
      file,
      message,
    );
    await expectInvalidFile(
      [
        [other, '1'],
        [one, '2'],
      ],
      file,
      message,
    );
  });

  it.each([
    ['setup.exe', 'programs and installers (.exe)'],
    ['a/.git/config', 'a repository'],
    ['.env.local', 'environment files'],
    ['id_rsa', 'private keys'],
    ['node_modules/x/index.js', 'a project that is not built'],
  ])('like %s are refused', async (name, message) => {
    await expectInvalidFile({ 'index.html': '1', [name]: '2' }, name, message);
  });

  const pem = `${'x'.repeat(120)}\n-----BEGIN RSA PRIVATE KEY-----\nMIIEow==\n-----END RSA PRIVATE KEY-----\n`;
  it.each([[1], [2], [3], [7], [31], [64], [65_536]])(
    'with a private key in a .pem are refused, sent in chunks of %s bytes',
    async (chunkBytes) => {
      const refusal = {
        code: 'validation_failed',
        details: { file: 'certs/server.PEM' },
        message: expect.stringContaining('private keys are never published'),
      };
      await expect(
        deploySite(test.core, caller, { a: '1', 'certs/server.PEM': pem }, { chunkBytes }),
      ).rejects.toMatchObject(refusal);
    },
  );

  it.each([
    ['empty', '', 'JSON object in UTF-8'],
    ['not JSON', '{"cleanUrls": true,}', 'JSON object in UTF-8'],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'it is not UTF-8'],
    ['an array', '[]', 'it must be a JSON object'],
    ['null', 'null', 'it must be a JSON object'],
    ['a text', '"{}"', 'it must be a JSON object'],
    ['nested 9 deep', '{"a":'.repeat(9) + '1' + '}'.repeat(9), 'nested at most 8 deep'],
  ])('S65: a ship.json that is %s is refused', async (_, bytes, message) => {
    await expectInvalidFile({ 'index.html': '1', 'ship.json': bytes }, 'ship.json', message);
  });
});

describe('T4: limits of the plan', () => {
  const fill = (count: number, name = 'f') => Array.from({ length: count }, (_, i) => [`${name}${i}`, 'x'] as const);

  it.each<[string, TestFiles, object]>([
    ['a file of one byte too many', { big: 'x'.repeat(1_001) }, { limit: 'maxFileSize', max: 1_000, file: 'big' }],
    [
      'junk of one byte too many',
      { a: '1', '.DS_Store': 'x'.repeat(1_001) },
      { limit: 'maxFileSize', max: 1_000, file: '.DS_Store' },
    ],
    ['one file too many', fill(6), { limit: 'maxFilesCount', max: 5 }],
    [
      'one byte too many in all',
      { a: 'a'.repeat(1_000), b: 'b'.repeat(1_000), c: 'c'.repeat(1_000), d: 'd' },
      { limit: 'maxTotalSize', max: 3_000, file: 'd' },
    ],
    [
      'one part too many, junk counted',
      [...Array.from({ length: maxFileParts(LIMITS) }, (_, i) => [`${i}/.DS_Store`, ''] as const), ['a', '1']],
      { limit: 'maxFilesCount', max: 5 },
    ],
  ])('%s is 413', async (_, files, details) => {
    await expect(deploySite(test.core, caller, files)).rejects.toMatchObject({
      code: 'payload_too_large',
      status: 413,
      details,
    });
    await expect(deploySite(test.core, ANONYMOUS, files)).rejects.toMatchObject({
      code: 'payload_too_large',
      status: 413,
      details,
    });
  });

  it('are enforced as soon as they are exceeded, without reading on', async () => {
    const deploy = await beginDeploy({ core: test.core, caller }, null);
    const sink = deploy.files.begin('big');
    void sink.write(Buffer.alloc(1_000));
    expect(() => sink.write(Buffer.alloc(1))).toThrow(expect.objectContaining({ code: 'payload_too_large' }));
    await deploy.close();
  });
});

describe('an upload whose connection breaks', () => {
  it.each([[0], [500], [999]])('T6: after %s bytes of a file leaves nothing', async (bytes) => {
    const deploy = await beginDeploy({ core: test.core, caller }, null);
    deploy.form.add('checksums', checksumsOf({ a: 'x'.repeat(1_000) }));
    void deploy.files.begin('a').write(Buffer.alloc(bytes, 'x'));
    await deploy.close();
    await deploy.close();
  });
});
