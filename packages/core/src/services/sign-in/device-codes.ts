import { createHmac, randomInt } from 'node:crypto';
import type { Core } from '../../core.ts';

/** Consonants only, so that no code is a word; none looks like a digit. */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;
const CODE = /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/;

/** Returns a random code for a person to type: 8 consonants, of 25 billion possible ones. Source: api §13. */
export function randomUserCode(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** Formats a code for a person to read: `BCDF-GHJK`. */
export function formatUserCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}

/** Reads a code that a person typed, in any case and with any marks between the letters; `null` if it cannot be one. */
export function readUserCode(text: string): string | null {
  const code = text.toUpperCase().replace(/[\s\p{Pd}]/gu, '');
  return CODE.test(code) ? code : null;
}

/** Hashes a code for storage. Without the key, the codes cannot be guessed from the database. Source: security §7. */
export function userCodeHash({ keys }: Core, code: string): Buffer {
  return createHmac('sha256', keys.code).update(`device:${code}`).digest();
}
