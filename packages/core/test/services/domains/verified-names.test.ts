import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestCore } from '@berth/testing/core';
import { afterAll, expect, it } from 'vitest';
import { setAccountState } from '../../../src/services/accounts/account-directory.ts';
import { VerifiedNames } from '../../../src/services/domains/verified-names.ts';

/** More names than one page has. */
const COUNT = 4_100;

const test = await createTestCore();
const folder = await mkdtemp(join(tmpdir(), 'berth-names-'));
const file = join(folder, 'domain-names');
afterAll(async () => {
  await test.close();
  await rm(folder, { recursive: true });
});

const warnings: string[] = [];
const log = { info() {}, warn: (_: object, message: string) => void warnings.push(message), error() {} };
const NAMES = Array.from({ length: COUNT }, (_, i) => `n${i + 1}.example`);
async function countKnown(names: VerifiedNames): Promise<number> {
  let count = 0;
  for (const name of NAMES) if (await names.has(name)) count += 1;
  return count;
}

it('api §12: the verified names are read in pages, follow an account, and survive in a file', async () => {
  const { account } = (await test.account('team')).caller;
  await test.database.query(
    `insert into domain (account_id, name, kind, status, labels, created, verified, checks)
     select $1, 'n' || i || '.example', 'custom', 'success', '{}', now(), now(), '[]' from generate_series(1, $2::int) i`,
    [account, COUNT],
  );
  const names = await VerifiedNames.open(file, log);
  await expect(names.has('n1.example')).rejects.toMatchObject({ code: 'unavailable' });
  names.follow(test.core);
  await expect.poll(() => names.has('n1.example').catch(() => false)).toBe(true);
  expect(await countKnown(names)).toBe(COUNT);

  await setAccountState(test.core, account, 'terminated');
  await expect.poll(() => countKnown(names)).toBe(0);
  await setAccountState(test.core, account, 'active');
  await expect.poll(() => countKnown(names)).toBe(COUNT);

  await names.close();
  await names.close();
  expect(await readdir(folder)).toEqual(['domain-names']);
  const savedNames = await VerifiedNames.open(file, log);
  expect([await countKnown(savedNames), await savedNames.has('other.example')]).toEqual([COUNT, false]);
  expect(warnings).toEqual([]);
});

it('api §12: a damaged file of names is ignored with a warning', async () => {
  const bytes = await readFile(file);
  bytes[100]! ^= 1;
  await writeFile(file, bytes);
  const names = await VerifiedNames.open(file, log);
  await expect(names.has('n1.example')).rejects.toMatchObject({ code: 'unavailable' });
  expect(warnings).toEqual(['The saved names of domains are damaged and are ignored']);
  names.follow(test.core);
  await expect.poll(() => names.has('n1.example').catch(() => false)).toBe(true);
  await names.close();
  const savedNames = await VerifiedNames.open(file, log);
  expect(await savedNames.has('n1.example')).toBe(true);
});

it('api §12, §14: the change log is read every 100 ms only while names are asked for, and an answer has every acknowledged change', async () => {
  const { account } = (await test.account('team')).caller;
  const names = await VerifiedNames.open(join(folder, 'other-names'), log);
  names.follow(test.core);
  const { changes } = test.core.database;
  await expect.poll(() => names.has('n1.example').catch(() => null)).not.toBeNull();
  expect(changes.confirmedAt).toBeGreaterThan(0);
  await expect.poll(() => changes.confirmedAt).toBe(-Infinity);

  await test.core.database.transaction((em) =>
    em.execute(
      `insert into domain (account_id, name, kind, status, labels, created, verified, checks)
       values (?, 'late.example', 'custom', 'success', '{}', now(), now(), '[]')`,
      [account],
    ),
  );
  expect(await names.has('late.example')).toBe(true);
  expect(await names.has('later.example')).toBe(false);
  await names.close();
});
