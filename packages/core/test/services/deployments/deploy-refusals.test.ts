import type { Plan } from '@berth/contract';
import { ANONYMOUS, checksumsOf, createTestCore, deploySite, readSite, type TestFiles } from '@berth/testing/core';
import { stateOf } from '@berth/testing/invariants';
import { begin, listOf, publishDelta, sendMissing, type UploadFiles } from '@berth/testing/uploads';
import { afterAll, describe, expect, it } from 'vitest';
import { createPlans } from '../../../src/services/accounts/plans.ts';
import { beginDeploy } from '../../../src/services/deployments/deploy.ts';
import { collectFiles } from '../../../src/services/deployments/deploy-files.ts';
import { maxFileParts } from '../../../src/services/deployments/file-rules.ts';
import { commitUpload } from '../../../src/services/uploads/commit-upload.ts';

const LIMITS = { maxFileSize: 1_000, maxFilesCount: 5, maxTotalSize: 3_000 };
const SMALL_PLAN: Plan = { plan: 'free', name: 'Small', price: { month: 0, year: 0 }, caps: null, limits: LIMITS };
const MD5_OF_A = '0cc175b9c0f1b6a831c399e269772661';
const MD5_OF_B = '92eb5ffee6ae2fec3ad71c777531578f';

const test = await createTestCore({ plans: createPlans([SMALL_PLAN]) });
const { core } = test;
const { caller } = await test.account();
afterAll(() => test.close());

const deploy = (files: TestFiles, fields: Record<string, string | null> = {}) =>
  deploySite(core, caller, files, { fields });
const base = (await deploy({ 'index.html': 'home' })).body.deployment;
const includes = (text: string) => expect.stringContaining(text);

/** Expects that a deploy is refused, and leaves rows, counters and packs unchanged. */
async function expectRefused(attempt: () => Promise<unknown>, error: object): Promise<void> {
  const state = async () => ({ ...(await stateOf(test)), packs: (await Array.fromAsync(core.packs.list())).length });
  const stateBefore = await state();
  await expect(attempt()).rejects.toMatchObject(error);
  expect(await state()).toEqual(stateBefore);
}

/** Expects a 400 that names a field. */
const expectInvalid = (files: TestFiles, fields: Record<string, string | null>, path: string, message: string) =>
  expectRefused(() => deploy(files, fields), {
    code: 'validation_failed',
    status: 400,
    details: { issues: [{ path, message: includes(message) }] },
    message: includes(message),
  });

/** Expects a 400 that names a file. */
const expectInvalidFile = (files: TestFiles, file: string, message: string, fields: Record<string, string> = {}) =>
  expectRefused(() => deploy(files, fields), {
    code: 'validation_failed',
    status: 400,
    details: { file },
    message: includes(message),
  });

const TWO_FILES = { a: 'a', b: 'b' };

describe('T7: checksums', () => {
  const notOneEach = 'each file must have one MD5, in order, but there are';
  it.each<[string, string | null, string, string]>([
    ['missing', null, 'checksums', 'is missing'],
    ['empty', '', 'checksums', 'must be a JSON array'],
    ['cut off', `["${MD5_OF_A}",`, 'checksums', 'must be a JSON array'],
    ['nested very deep', '['.repeat(50_000) + ']'.repeat(50_000), 'checksums', 'must be a JSON array'],
    ['an object', `{"0":"${MD5_OF_A}"}`, 'checksums', 'expected array'],
    ['a list with a hash of 31 digits', `["${MD5_OF_A}","${MD5_OF_B.slice(1)}"]`, 'checksums.1', '32 hex digits'],
    ['too few', `["${MD5_OF_A}"]`, 'checksums', `${notOneEach} 1 for 2 file parts`],
    ['too many', `["${MD5_OF_A}","${MD5_OF_B}","${MD5_OF_B}"]`, 'checksums', `${notOneEach} 3 for 2 file parts`],
  ])('are refused if they are %s', async (_, checksums, path, message) => {
    await expectInvalid(TWO_FILES, { checksums }, path, message);
  });

  it.each([
    ['without spaces', `["${MD5_OF_A}","${MD5_OF_B}"]`],
    ['with a space after each comma', `["${MD5_OF_A}", "${MD5_OF_B}"]`],
    ['on several lines', `[\n  "${MD5_OF_A}",\n  "${MD5_OF_B}"\n]`],
    ['in upper case', `["${MD5_OF_A.toUpperCase()}","${MD5_OF_B}"]`],
  ])('are accepted %s, and compared', async (_, checksums) => {
    await expect(deploy(TWO_FILES, { checksums })).resolves.toMatchObject({ body: { files: 2 } });
    await expectInvalidFile({ a: 'a', b: 'c' }, 'b', `checksums[1] is ${MD5_OF_B}`, { checksums });
  });

  it('are refused if they are not checksums and there is no file', async () => {
    await expectInvalid({}, { checksums: '[""]' }, 'checksums.0', '32 hex digits');
  });

  it('are refused if they do not include the checksums of junk files', async () => {
    const files = { '.DS_Store': 'junk', a: 'a' };
    await expectInvalid(files, { checksums: `["${MD5_OF_A}"]` }, 'checksums', `${notOneEach} 1 for 2 file parts`);
  });

  it.each([
    ['swapped', [MD5_OF_B, MD5_OF_A], 'a', `${MD5_OF_A}, but checksums[0] is ${MD5_OF_B}`],
    ['equal', [MD5_OF_A, MD5_OF_A], 'b', `${MD5_OF_B}, but checksums[1] is ${MD5_OF_A}`],
  ])('are refused if two of them are %s, and the message names the file', async (_, checksums, file, message) => {
    await expectInvalidFile(TWO_FILES, file, message, { checksums: JSON.stringify(checksums) });
  });
});

describe('api §3: a deploy', () => {
  it.each([
    ['labels', '', 'labels', 'must be a JSON array'],
    ['labels', '"one"', 'labels', 'expected array'],
    ['labels', '["good","Bad"]', 'labels.1', 'lower-case'],
    ['password', '  five5  ', 'password', '6 to 128 characters'],
    ['ttl', '0', 'ttl', 'at least 1 second'],
    ['ttl', '-1', 'ttl', 'at least 1 second'],
    ['ttl', '31536001', 'ttl', 'at most 365 days'],
    ['ttl', '1.5', 'ttl', 'whole seconds'],
    ['ttl', '1e3', 'ttl', 'whole seconds'],
    ['ttl', '0x10', 'ttl', 'whole seconds'],
    ['ttl', ' 60', 'ttl', 'whole seconds'],
    ['ttl', '060', 'ttl', 'whole seconds'],
    ['ttl', '', 'ttl', 'whole seconds'],
    ['ttl', '9'.repeat(400), 'ttl', 'whole seconds'],
    ['domain', 'no name', 'domain', 'white space'],
    ['domain', 'www.sites.test', 'domain', 'reserved'],
    ['keep', '0', 'keep', 'at least 1'],
    ['keep', '1001', 'keep', 'at most 1,000'],
    ['keep', '1.5', 'keep', 'whole number'],
    ['keep', '3', 'keep', 'sent with domain'],
    ['open', 'yes', 'open', '1 or 0'],
    ['Labels', '[]', 'Labels', 'unknown field'],
    ['', 'x', '', 'unknown field'],
    ['constructor', 'x', 'constructor', 'unknown field'],
    ['__proto__', 'x', '__proto__', 'unknown field'],
    ['files[]', 'x', 'files[]', 'a file part must carry a filename'],
  ])('is refused if the field %s is %.10j, and the message names the field', async (field, value, path, message) => {
    await expectInvalid(TWO_FILES, { [field]: value }, path, message);
  });

  it.each([
    ['checksums', '[]'],
    ['labels', '[]'],
    ['password', 'open sesame'],
    ['via', 'cli'],
    ['ttl', '60'],
    ['domain', 'shop.sites.test'],
    ['keep', '3'],
    ['open', '1'],
  ])('is refused if field %s is sent twice', async (field, value) => {
    const { form, close } = await beginDeploy({ core, caller }, null);
    form.add(field, value);
    const repeatedFieldIssue = { path: field, message: 'the field must be sent only once' };
    expect(() => form.add(field, value)).toThrow(
      expect.objectContaining({ code: 'validation_failed', details: { issues: [repeatedFieldIssue] } }),
    );
    await close();
  });

  it('with a ttl is refused with 403 if it is anonymous', async () => {
    const attempt = () => deploySite(core, ANONYMOUS, TWO_FILES, { fields: { ttl: '60' } });
    await expectRefused(attempt, { code: 'forbidden', status: 403 });
  });
});

describe('api §3: the files of a deploy', () => {
  it('must include at least one file that is not junk', async () => {
    for (const files of [[], Object.entries({ '.DS_Store': 'x', 'a/Thumbs.db': 'y' })])
      await expectInvalid(files, {}, 'files[]', 'at least one file');
  });

  it.each([
    ['../x', '"." or ".."'],
    ['setup.exe', 'programs and installers (.exe)'],
    ['a/.git/config', 'a repository'],
    ['.env.local', 'environment files'],
    ['id_rsa', 'private keys'],
    ['node_modules/x/index.js', 'a project that is not built'],
  ])('are refused if one of them is named %s, and the message contains the name', async (name, message) => {
    await expectInvalidFile({ ok: '1', [name]: '2' }, name, message);
  });

  it.each([
    ['a\r\nSet-Cookie: x\u202e\ud800', 'a\ufffd\ufffdSet-Cookie: x\ufffd\ufffd', 'UTF-8'],
    ['', '(empty)', 'empty'],
    ['x'.repeat(5_000), 'x'.repeat(200), 'at most 1024 bytes'],
  ])('T9: are refused if a name is %.30j, and the message shows it as %.30j', async (name, printable, message) => {
    await expectInvalidFile({ [name]: '1' }, printable, message);
  });

  it.each<[string, [string, string], string, string]>([
    ['the same name twice', ['a', 'a'], 'a', 'two parts name the same file'],
    ['two forms of one name', ['\u00e9', 'e\u0301'], '\u00e9', 'two parts name the same file'],
    ['a name with and without a slash', ['/a', 'a'], 'a', 'two parts name the same file'],
    ['a file and a folder with one name', ['a', 'a/b'], 'a/b', 'a file cannot also be a folder (a and a/b)'],
  ])('T2: are refused in either order if they have %s', async (_, names, file, message) => {
    for (const ordered of [names, names.toReversed()]) {
      const files = ordered.map((name, at) => [name, `${at}`] as const);
      await expectInvalidFile(files, file, message);
    }
  });

  const pem = `${'x'.repeat(120)}\n-----BEGIN RSA PRIVATE KEY-----\nMIIEow==\n-----END RSA PRIVATE KEY-----\n`;
  it.each([1, 2, 3, 7, 31, 64, 65_536])(
    'are refused if a .pem file contains a private key, even if it arrives in chunks of %s bytes',
    async (chunkBytes) => {
      const files = { a: '1', 'certs/server.PEM': pem };
      await expectRefused(() => deploySite(core, caller, files, { chunkBytes }), {
        code: 'validation_failed',
        details: { file: 'certs/server.PEM' },
        message: includes('private keys are never published'),
      });
    },
  );

  it.each([
    ['empty', '', 'JSON object in UTF-8'],
    ['not JSON', '{"cleanUrls": true,}', 'JSON object in UTF-8'],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'is not UTF-8'],
    ['an array', '[]', 'the file must be a JSON object'],
    ['null', 'null', 'the file must be a JSON object'],
    ['a text', '"{}"', 'the file must be a JSON object'],
    ['nested 9 deep', '{"a":'.repeat(9) + '1' + '}'.repeat(9), 'nested at most 8 deep'],
  ])('S65: are refused if ship.json is %s', async (_, bytes, message) => {
    await expectInvalidFile({ 'index.html': '1', 'ship.json': bytes }, 'ship.json', message);
  });
});

describe('api §3: the refused files of a deploy', () => {
  const programs = (count: number) => Array.from({ length: count }, (_, at) => [`${at}.exe`, ''] as const);
  const privateKey = '-----BEGIN PRIVATE KEY-----';

  it.each([
    ['names', { 'setup.exe': '1', ok: '2', '../x': '3', '.env': '4' }, ['setup.exe', '../x', '.env']],
    ['names and contents', { 'a.pem': privateKey, 'b.exe': '', 'ship.json': '[]' }, ['a.pem', 'b.exe', 'ship.json']],
    ['an invalid name of a file with a private key', { '.env.pem': privateKey }, ['.env.pem']],
  ])('are named in one error if they are refused by their %s', async (_, files, paths) => {
    await expectRefused(() => deploy(files, { checksums: null }), {
      code: 'validation_failed',
      message: expect.stringMatching(paths.length > 1 ? / \(and 2 more files\)$/ : /published$/),
      details: { file: paths[0], issues: paths.map((path) => ({ path, message: expect.stringMatching(/./) })) },
    });
  });

  it.each<[string, TestFiles, object]>([
    ['the number of files', programs(6), { limit: 'maxFilesCount', max: 5 }],
    ['the size of a file', { 'a.exe': '', b: 'x'.repeat(1_001) }, { limit: 'maxFileSize', file: 'b' }],
    [
      'the size of all files',
      Object.fromEntries(
        [
          ['a.exe', 1],
          ['b', 1_000],
          ['c', 1_000],
          ['d', 1_000],
        ].map(([path, size]) => [path, 'x'.repeat(Number(size))]),
      ),
      { limit: 'maxTotalSize', file: 'd' },
    ],
  ])('T4: do not prevent the limit on %s from ending the upload', async (_, files, details) => {
    await expectRefused(() => deploy(files), { code: 'payload_too_large', details });
  });

  it.each([
    ['a name', '../x', ''],
    ['a private key in the content', 'x.pem', privateKey],
  ])('end the storing of bytes: after %s is refused, no byte reaches the pack', (_, refusedName, content) => {
    let storedBytes = 0;
    const sink = { write: (chunk: Uint8Array) => void (storedBytes += chunk.length), end() {} };
    const files = collectFiles({ begin: () => sink }, { ...LIMITS, blockedExtensions: new Set() }, () => {});
    for (const [name, bytes] of [
      ['before', 'four'],
      [refusedName, content],
      ['after', 'more'],
    ] as const) {
      const fileSink = files.begin(name);
      void fileSink.write(Buffer.from(bytes));
      fileSink.end();
    }
    expect({ storedBytes, refused: files.refusals.count }).toEqual({ storedBytes: 4, refused: 1 });
  });
});

describe('api §3: a rule file with Basic-Auth or a Role condition (S23)', () => {
  const waysToDeploy: [string, (files: UploadFiles) => Promise<unknown>][] = [
    ['a multipart deploy', deploy],
    ['a multipart deploy that arrives in single bytes', (files) => deploySite(core, caller, files, { chunkBytes: 1 })],
    ['a multipart deploy with a password', (files) => deploy(files, { password: 'hunter22' })],
    ['a delta upload', (files) => publishDelta(core, caller, files)],
    [
      'a delta upload on a base',
      async (files) => {
        const begunUpload = await begin(core, caller, { base, put: listOf(files), remove: [] });
        await sendMissing(core, caller, begunUpload, files);
        return commitUpload({ core, caller }, begunUpload.upload);
      },
    ],
  ];
  const header = { key: 'BASIC-Auth', value: 'jane:hunter2' };
  const rules: [file: string, text: string, place: string, protection?: string][] = [
    ['_redirects', '/a /b\n/admin/* /admin/:splat 200! Role=admin,editor\n', 'line 2', 'a Role condition'],
    ['_headers', '/*\r\n  X-A: 1\r\n  basic-auth : jane:hunter2\r\n', 'line 3'],
    ['ship.json', JSON.stringify({ headers: [{ source: '/(.*)', headers: [header] }] }), 'headers[0].headers[0].key'],
    ['netlify.toml', '[[headers]]\nfor = "/*"\n[headers.values]\nBasic-Auth = "jane:hunter2"\n', 'line 4'],
  ];

  it.each(waysToDeploy)('is refused in %s, and the message recommends a password', async (_, send) => {
    const deployments = () => test.database.query('select id from deployment');
    const deploymentsBefore = await deployments();
    for (const [file, text, place, protection = 'Basic-Auth'] of rules) {
      const message =
        `${file}: ${place}: ${protection} has no effect here, so the site would be public. ` +
        'Remove it and deploy with a password instead ("password", or --password on the command line).';
      const error = { status: 400, code: 'validation_failed', message, details: { file } };
      await expect(send({ 'index.html': 'home', [file]: text })).rejects.toMatchObject(error);
    }
    expect(await deployments()).toEqual(deploymentsBefore);
  });

  it('is published if it is in a subfolder, where it is an ordinary file', async () => {
    const { body } = await deploy(Object.fromEntries(rules.map(([file, text]) => [`docs/${file}`, text])));
    expect(Object.keys((await readSite(core, body.deployment))!)).toHaveLength(rules.length);
  });
});

describe('T4: a deploy under the limits of a plan', () => {
  const numberedFiles = (count: number, bytes = 'x') =>
    Array.from({ length: count }, (_, i) => [`f${i}`, bytes] as const);
  const junkFiles = (count: number, bytes = '') =>
    Array.from({ length: count }, (_, i) => [`${i}/.DS_Store`, bytes] as const);
  const largest = 'x'.repeat(1_000);

  it.each<[string, TestFiles, object]>([
    ['a file of one byte too many', { big: `${largest}x` }, { limit: 'maxFileSize', max: 1_000, file: 'big' }],
    [
      'junk of one byte too many',
      junkFiles(1, `${largest}x`),
      { limit: 'maxFileSize', max: 1_000, file: '0/.DS_Store' },
    ],
    ['one file too many', numberedFiles(6), { limit: 'maxFilesCount', max: 5 }],
    [
      'one byte too many in all',
      [...numberedFiles(3, largest), ['d', 'd']],
      { limit: 'maxTotalSize', max: 3_000, file: 'd' },
    ],
    [
      'one part too many, with junk',
      [...junkFiles(maxFileParts(LIMITS)), ['a', '1']],
      { limit: 'maxFilesCount', max: 5 },
    ],
  ])('is refused with 413 if it has %s', async (_, files, details) => {
    for (const who of [caller, ANONYMOUS])
      await expectRefused(() => deploySite(core, who, files), { code: 'payload_too_large', status: 413, details });
  });

  it.each<[string, TestFiles, object]>([
    ['a file of the largest size', { a: largest }, { files: 1, size: 1_000 }],
    ['as many files as allowed', numberedFiles(5), { files: 5, size: 5 }],
    ['as many bytes as allowed, in equal files', numberedFiles(3, largest), { files: 3, size: 3_000 }],
    [
      'as many parts as allowed, with junk',
      [...junkFiles(maxFileParts(LIMITS) - 1), ['a', '1']],
      { files: 1, size: 1 },
    ],
    ['junk beyond the allowed bytes and files', [...junkFiles(20, largest), ['a', '1']], { files: 1, size: 1 }],
    ['a ship.json nested 8 deep', { a: '1', 'ship.json': '{"a":'.repeat(8) + '1' + '}'.repeat(8) }, { files: 2 }],
    ['a ship.json with a byte-order mark', { 'ship.json': '\ufeff{}' }, { files: 1 }],
    ['a ship.json below the root', { 'sub/ship.json': 'not JSON', 'myship.json': 'nor this' }, { files: 2 }],
    ['a .pem without a private key', { 'a.pem': '-----BEGIN CERTIFICATE-----' }, { files: 1 }],
    ['the words of a private key in another file', { 'guide.html': '-----BEGIN PRIVATE KEY-----' }, { files: 1 }],
  ])('is accepted if it has %s', async (_, files, body) => {
    expect((await deploy(files)).body).toMatchObject(body);
  });

  it('can have 110 parts if the plan allows 5 files, because junk files do not count', () => {
    expect(maxFileParts(LIMITS)).toBe(110);
  });

  it('is refused while a file arrives, as soon as the file is too large', async () => {
    const { files, close } = await beginDeploy({ core, caller }, null);
    const sink = files.begin('big');
    void sink.write(Buffer.alloc(1_000));
    expect(() => sink.write(Buffer.alloc(1))).toThrow(expect.objectContaining({ code: 'payload_too_large' }));
    await close();
  });
});

it.each([0, 500, 999])(
  'T6: a deploy whose connection breaks after %s bytes of a file leaves no rows and no packs',
  async (bytes) => {
    const stateBefore = await stateOf(test);
    const { form, files, close } = await beginDeploy({ core, caller }, null);
    form.add('checksums', checksumsOf({ a: 'x'.repeat(1_000) }));
    void files.begin('a').write(Buffer.alloc(bytes, 'x'));
    await close();
    await close();
    expect(await stateOf(test)).toEqual(stateBefore);
  },
);
