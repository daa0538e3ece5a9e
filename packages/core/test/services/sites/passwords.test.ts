import { argon2Sync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hashPassword, passwordVersion, renewHash, verifyPassword } from '../../../src/services/sites/passwords.ts';

const PHC = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$(?<salt>[A-Za-z0-9+/]{22})\$(?<tag>[A-Za-z0-9+/]{43})$/;

describe('security §7: site passwords', () => {
  it.each([['correct horse'], ['p\u00e4ssw\u00f6rter'], ['\u{1f600}\u{1f600}\u{1f600}\u{1f600}\u{1f600}\u{1f600}']])(
    '%j is stored as an argon2id PHC string that proves it',
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

  it('are salted: hashing the same one twice gives two strings', async () => {
    expect(await hashPassword('correct horse')).not.toBe(await hashPassword('correct horse'));
  });

  it('wait in a queue of 50 behind the two running hashes: the next one is 503, and later the queue is free again', async () => {
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

describe('security §7: a password that a visitor enters', () => {
  // The same password and salt, with weaker parameters than the current ones.
  const parameters = {
    message: 'correct horse',
    nonce: Buffer.alloc(16, 7),
    memory: 8_192,
    passes: 1,
    parallelism: 1,
    tagLength: 24,
  };
  const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  const OLD = `$argon2id$v=19$m=8192,t=1,p=1$${unpadded(parameters.nonce)}$${unpadded(argon2Sync('argon2id', parameters))}`;

  it('is compared with the hash', async () => {
    for (const stored of [await hashPassword('correct horse'), OLD]) {
      expect(await verifyPassword('correct horse', stored)).toBe(true);
      for (const other of ['Correct horse', 'correct horse ', 'correct', '', 'correct horse\0'])
        expect(await verifyPassword(other, stored), other).toBe(false);
    }
  });

  it('is hashed again if the parameters have changed, and keeps its version', async () => {
    const renewed = (await renewHash('correct horse', OLD))!;
    expect(renewed).toMatch(PHC);
    expect(await verifyPassword('correct horse', renewed)).toBe(true);
    expect(passwordVersion(renewed)).toBe(passwordVersion(OLD));
    expect(await renewHash('correct horse', renewed)).toBeNull();
  });

  it('has another version each time it is set', async () => {
    const [one, other] = [await hashPassword('correct horse'), await hashPassword('correct horse')];
    expect(passwordVersion(one)).not.toBe(passwordVersion(other));
    expect(passwordVersion(one)).toMatch(/^[\w-]{22}$/);
    expect(one).not.toContain(passwordVersion(one));
  });

  it.each(['', 'x', '$2b$10$abcdefghijklmnopqrstuv', '$argon2id$v=16$m=8,t=1,p=1$AAAA$AAAA'])(
    'is not compared with %j, which is not a hash of ours',
    async (stored) => {
      await expect(verifyPassword('correct horse', stored)).rejects.toThrow('not a PHC string');
    },
  );
});
