import { argon2Sync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hashPassword, passwordVersion, renewHash, verifyPassword } from '../../src/services/passwords.ts';

const PHC_PATTERN = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$(?<salt>[A-Za-z0-9+/]{22})\$(?<tag>[A-Za-z0-9+/]{43})$/;
// OLD is the PHC string of a password with weaker parameters than the current ones.
const WEAKER_PARAMETERS = { memory: 8_192, passes: 1, parallelism: 1, tagLength: 24 };
const SALT = Buffer.alloc(16, 7);
const TAG = argon2Sync('argon2id', { message: 'correct horse', nonce: SALT, ...WEAKER_PARAMETERS });
const [SALT_TEXT, TAG_TEXT] = [SALT, TAG].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
const OLD_HASH = `$argon2id$v=19$m=8192,t=1,p=1$${SALT_TEXT}$${TAG_TEXT}`;

describe('security §7: hashPassword', () => {
  it.each(['correct horse', 'p\u00e4ssw\u00f6rter', '\u{1f600}'.repeat(6)])(
    'returns an argon2id PHC string that matches the password %j',
    async (password) => {
      const { salt, tag } = PHC_PATTERN.exec(await hashPassword(password))!.groups!;
      const parameters = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };
      const nonce = Buffer.from(salt!, 'base64');
      const expectedHash = argon2Sync('argon2id', { message: password, nonce, ...parameters });
      expect(Buffer.from(tag!, 'base64').equals(expectedHash)).toBe(true);
    },
  );

  it('queues 50 passwords behind the two that are being hashed, and refuses further ones with 503', async () => {
    const hashes = (count: number) => Array.from({ length: count }, () => hashPassword('secret'));
    const outcomes = await Promise.allSettled([...hashes(54), verifyPassword('correct horse', OLD_HASH)]);
    expect(outcomes.findIndex(({ status }) => status === 'rejected')).toBe(52);
    const reason = { code: 'unavailable', status: 503, retryAfterSeconds: expect.any(Number) };
    for (const outcome of outcomes.slice(52)) expect(outcome).toMatchObject({ status: 'rejected', reason });
    expect(await Promise.all(hashes(3))).toHaveLength(3);
  });
});

describe('security §7: a password that a visitor enters', () => {
  it('is verified only if it matches the stored hash', async () => {
    for (const storedHash of [await hashPassword('correct horse'), OLD_HASH]) {
      expect(await verifyPassword('correct horse', storedHash)).toBe(true);
      for (const wrongPassword of ['Correct horse', 'correct horse ', 'correct', '', 'correct horse\0'])
        expect(await verifyPassword(wrongPassword, storedHash), wrongPassword).toBe(false);
    }
  });

  it('is hashed again if the parameters have changed, and keeps its password version', async () => {
    const renewedHash = (await renewHash('correct horse', OLD_HASH))!;
    expect(renewedHash).toMatch(PHC_PATTERN);
    expect(await verifyPassword('correct horse', renewedHash)).toBe(true);
    expect(passwordVersion(renewedHash)).toBe(passwordVersion(OLD_HASH));
    expect(await renewHash('correct horse', renewedHash)).toBeNull();
  });

  it('has another password version each time it is set', async () => {
    const [first, second] = [await hashPassword('correct horse'), await hashPassword('correct horse')];
    expect(passwordVersion(first)).not.toBe(passwordVersion(second));
    expect(passwordVersion(first)).toMatch(/^[\w-]{22}$/);
    expect(first).not.toContain(passwordVersion(first));
  });

  it.each(['', 'x', '$2b$10$abcdefghijklmnopqrstuv', '$argon2id$v=16$m=8,t=1,p=1$AAAA$AAAA'])(
    'cannot be verified with %j, which is not a PHC string of argon2id',
    async (stored) => {
      await expect(verifyPassword('correct horse', stored)).rejects.toThrow('must be a PHC string');
    },
  );
});
