import type { Plan } from '@berth/contract';
import { afterAll, describe, expect, it } from 'vitest';
import { maxFileParts } from '../../../src/services/deployments/file-rules.ts';
import { createPlans } from '../../../src/services/accounts/plans.ts';
import { createTestCore, deploySite, type TestFiles } from '@berth/testing/core';

const LIMITS = { maxFileSize: 1_000, maxFilesCount: 5, maxTotalSize: 3_000 };
const SMALL: Plan = { plan: 'free', name: 'Small', price: { month: 0, year: 0 }, caps: null, limits: LIMITS };

const test = await createTestCore({ plans: createPlans([SMALL]) });
afterAll(() => test.close());

const junk = (count: number, bytes = '') => Array.from({ length: count }, (_, i) => [`${i}/.DS_Store`, bytes] as const);

describe('T4: a deploy that just fits is accepted', () => {
  it.each<[string, TestFiles, object]>([
    ['a file of the largest size', { a: 'x'.repeat(1_000) }, { files: 1, size: 1_000 }],
    ['as many files as allowed', Array.from({ length: 5 }, (_, i) => [`f${i}`, 'x'] as const), { files: 5, size: 5 }],
    [
      'as many bytes as allowed in all',
      { a: 'a'.repeat(1_000), b: 'b'.repeat(1_000), c: 'c'.repeat(1_000) },
      { files: 3, size: 3_000 },
    ],
    [
      'equal contents, counted as often as they are sent',
      { a: 'a'.repeat(1_000), b: 'a'.repeat(1_000), c: 'a'.repeat(1_000) },
      { files: 3, size: 3_000 },
    ],
    ['as many parts as allowed, junk counted', [...junk(maxFileParts(LIMITS) - 1), ['a', '1']], { files: 1, size: 1 }],
    ['junk beyond the bytes and files allowed', [...junk(20, 'x'.repeat(1_000)), ['a', '1']], { files: 1, size: 1 }],
    ['a ship.json nested 8 deep', { a: '1', 'ship.json': '{"a":'.repeat(8) + '1' + '}'.repeat(8) }, { files: 2 }],
    ['a ship.json with a byte-order mark', { 'ship.json': '\ufeff{}' }, { files: 1 }],
    [
      'a ship.json below the root, whatever is in it',
      { 'sub/ship.json': 'not JSON', 'myship.json': 'nor this' },
      { files: 2 },
    ],
    ['a .pem without a private key', { 'a.pem': '-----BEGIN CERTIFICATE-----' }, { files: 1 }],
    ['the words of a private key in another file', { 'guide.html': '-----BEGIN PRIVATE KEY-----' }, { files: 1 }],
  ])('%s', async (_, files, body) => {
    const { caller } = await test.account();
    expect((await deploySite(test.core, caller, files)).body).toMatchObject(body);
  });

  it('the limit on parts is generous, but finite', () => {
    expect(maxFileParts(LIMITS)).toBe(110);
  });
});

describe('S65: a ship.json', () => {
  const shipJsonOf = (bytes: number) => ({ 'ship.json': `{"a":"${'x'.repeat(bytes - 8)}"}` });

  it('has at most 256 KiB', async () => {
    const large = await createTestCore();
    const { caller } = await large.account();
    expect((await deploySite(large.core, caller, shipJsonOf(256 * 1024))).body).toMatchObject({ size: 256 * 1024 });
    await expect(deploySite(large.core, caller, shipJsonOf(256 * 1024 + 1))).rejects.toMatchObject({
      code: 'validation_failed',
      details: { file: 'ship.json' },
    });
    await large.close();
  });
});
