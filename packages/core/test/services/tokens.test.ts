import { CREDENTIAL } from '@berth/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../src/core.ts';
import { createToken } from '../../src/services/tokens.ts';
import { createTestCore, type TestCore } from '../test-core.ts';

let test: TestCore;
let caller: AccountCaller;
beforeAll(async () => {
  test = await createTestCore();
  ({ caller } = await test.account());
});
afterAll(() => test.close());

describe('contract §1: a credential', () => {
  it.each([
    ['api', 'ship-'],
    ['deploy', 'deploy-'],
  ] as const)('of kind %s begins with %s, and is kept as a SHA-256 and 4 characters alone', async (kind, prefix) => {
    const created = test.core.now();
    const expires = new Date(created.getTime() + 60_000);
    const { token, secret } = await test.core.database.transaction(async (em) =>
      createToken(em, caller.account, { kind, created, expires, labels: ['ci'] }),
    );
    expect(secret).toMatch(CREDENTIAL);
    expect(secret.startsWith(prefix)).toBe(true);
    const [row] = await test.database.query(
      'select account_id, kind, last4, labels, created, expires, used, secret_hash = sha256($2) as hashed from token where token = $1',
      [token, secret],
    );
    expect(row).toEqual({
      account_id: caller.account,
      kind,
      last4: secret.slice(-4),
      labels: ['ci'],
      created,
      expires,
      used: null,
      hashed: true,
    });
    const dump = (await test.database.query<{ row: string }>('select t::text as row from token t'))
      .map(({ row: text }) => text)
      .join();
    for (const part of [secret, secret.slice(prefix.length)]) {
      expect(dump).not.toContain(part);
      expect(dump).not.toContain(Buffer.from(part).toString('hex'));
    }
  });

  it('is never made twice', async () => {
    const made = await test.core.database.transaction(async (em) =>
      Array.from({ length: 200 }, () => createToken(em, caller.account, { kind: 'deploy', created: test.core.now() })),
    );
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(200);
    expect(new Set(made.map(({ token }) => token)).size).toBe(200);
  });

  it('is gone with a transaction that fails', async () => {
    const count = () => test.database.query('select 1 from token');
    const before = await count();
    await expect(
      test.core.database.transaction(async (em) => {
        createToken(em, caller.account, { kind: 'api', created: test.core.now() });
        await em.flush();
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await count()).toEqual(before);
  });
});
