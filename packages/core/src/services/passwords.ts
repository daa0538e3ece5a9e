import { argon2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { unavailable } from '../errors.ts';

const MEMORY_KIB = 19 * 1024;
const PASSES = 2;
const PARALLELISM = 1;
const TAG_BYTES = 32;
const AT_ONCE = 2;
const MAX_QUEUED = 50;

const derive = promisify(argon2);
const waiting: (() => void)[] = [];
let running = 0;

/**
 * Hashes a site password with argon2id. Two run at a time, since each takes 19 MiB and a core; 50 more may wait.
 *
 * @param password Trimmed and NFC already.
 * @returns A PHC string.
 * @throws `unavailable` when too many wait. Source: security §7.
 */
export async function hashPassword(password: string): Promise<string> {
  return inTurn(async () => {
    const salt = randomBytes(16);
    const tag = await derive('argon2id', {
      message: password,
      nonce: salt,
      memory: MEMORY_KIB,
      passes: PASSES,
      parallelism: PARALLELISM,
      tagLength: TAG_BYTES,
    });
    const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
    return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${PARALLELISM}$${text(salt)}$${text(tag)}`;
  });
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) {
    if (waiting.length >= MAX_QUEUED)
      throw unavailable('Too many passwords are being hashed right now; try again shortly.');
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}
