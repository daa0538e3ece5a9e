import { argon2Sync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hashPassword } from '../../src/services/passwords.ts';

const PHC = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$(?<salt>[A-Za-z0-9+/]{22})\$(?<tag>[A-Za-z0-9+/]{43})$/;

describe('security §7: site passwords', () => {
  it.each([['correct horse'], ['p\u00e4ssw\u00f6rter'], ['\u{1f600}\u{1f600}\u{1f600}\u{1f600}\u{1f600}\u{1f600}']])(
    '%j is kept as an argon2id PHC string that proves it',
    async (password) => {
      const { salt, tag } = PHC.exec(await hashPassword(password))!.groups!;
      const proof = argon2Sync('argon2id', {
        message: password,
        nonce: Buffer.from(salt!, 'base64'),
        memory: 19_456,
        passes: 2,
        parallelism: 1,
        tagLength: 32,
      });
      expect(Buffer.from(tag!, 'base64').equals(proof)).toBe(true);
    },
  );

  it('are salted: the same one twice gives two strings', async () => {
    expect(await hashPassword('correct horse')).not.toBe(await hashPassword('correct horse'));
  });

  it('wait in a queue of 50 behind the two at work: the next one is 503, and the queue is free again afterwards', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 55 }, () => hashPassword('secret')));
    const refused = outcomes.flatMap((outcome, i) =>
      outcome.status === 'rejected' ? [{ i, reason: outcome.reason }] : [],
    );
    expect(refused.map(({ i }) => i)).toEqual([52, 53, 54]);
    for (const { reason } of refused)
      expect(reason).toMatchObject({ code: 'unavailable', status: 503, retryAfterSeconds: expect.any(Number) });
    expect(await Promise.all([hashPassword('secret'), hashPassword('secret'), hashPassword('secret')])).toHaveLength(3);
  });
});
