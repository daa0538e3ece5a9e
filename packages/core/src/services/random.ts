import { hash, randomBytes, randomInt } from 'node:crypto';
import { ADJECTIVES, NOUNS } from './id-words.ts';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Returns 7 random characters of `[a-z0-9]` from a CSPRNG, which make ids unguessable. Source: api §1. */
export function randomSuffix(): string {
  return Array.from({ length: 7 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** Returns a new deployment id such as `calm-otter-4k9x2qd`. Source: api §1. */
export function randomDeploymentId(): string {
  const word = (words: readonly string[]) => words[randomInt(words.length)]!;
  return `${word(ADJECTIVES)}-${word(NOUNS)}-${randomSuffix()}`;
}

/** Returns 128 random bits as 32 lowercase hex digits. */
export function randomSecret(): string {
  return randomBytes(16).toString('hex');
}

/** Hashes a random secret for storage. 128 random bits do not need a slow hash. Source: security §7. */
export function secretHash(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
