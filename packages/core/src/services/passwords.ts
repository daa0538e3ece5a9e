import { argon2, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import pLimit from 'p-limit';
import { unavailable } from '../errors.ts';
import {
  passwordsHashed,
  passwordsRefused,
  passwordsRunning,
  passwordsWaiting,
  passwordWaitSeconds,
} from '../metrics.ts';

interface Parameters {
  /** The memory that hashing takes, in KiB. */
  memory: number;
  passes: number;
  parallelism: number;
  salt: Buffer;
}

const NEWEST_PARAMETERS = { memory: 19 * 1024, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const TAG_BYTES = 32;
const VERSION_LENGTH = 22;
const MAX_CONCURRENT = 2;
const MAX_QUEUED_HASHES = 50;

const deriveHash = promisify(argon2);
const queue = pLimit(MAX_CONCURRENT);

const PHC_PATTERN = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/**
 * Hashes a site password with argon2id. Two passwords are hashed at a time, since each takes 19 MiB and a core; 50 more
 * can wait.
 *
 * @param password Already trimmed and normalized to NFC.
 * @returns A PHC string.
 * @throws `unavailable` if the queue is full. Source: security §7.
 */
export function hashPassword(password: string): Promise<string> {
  return formatHash(password, { ...NEWEST_PARAMETERS, salt: randomBytes(SALT_BYTES) });
}

/**
 * Returns a PHC string with the current parameters that no password has, so that {@link verifyPassword} takes its usual time.
 *
 * @param seed At least 32 random bytes. The same seed gives the same salt.
 */
export function hashOfNoPassword(seed: Buffer): string {
  return format(NEWEST_PARAMETERS, { salt: seed.subarray(0, SALT_BYTES), tag: hash('sha256', seed, 'buffer') });
}

/**
 * Compares a password with a hash, in the same queue as {@link hashPassword}.
 *
 * @param password Already trimmed and normalized to NFC.
 * @param stored A PHC string with current or older parameters.
 * @throws `unavailable` if the queue is full.
 */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const { tag, ...parameters } = read(stored);
  return timingSafeEqual(await deriveTag(password, parameters, tag.length), tag);
}

/**
 * Hashes a password again after {@link verifyPassword} has confirmed it. The salt and {@link passwordVersion} stay the
 * same.
 *
 * @returns A PHC string with the current parameters; `null` if the stored string already has them.
 * @throws `unavailable` if the queue is full.
 */
export async function renewHash(password: string, stored: string): Promise<string | null> {
  const { tag, salt } = read(stored);
  const isNewest = stored.startsWith(prefixOf(NEWEST_PARAMETERS)) && tag.length === TAG_BYTES;
  return isNewest ? null : formatHash(password, { ...NEWEST_PARAMETERS, salt });
}

/**
 * Returns an identifier of a password that reveals nothing about it. The identifier stays the same until the password
 * changes, even if the password is hashed again.
 */
export function passwordVersion(stored: string): string {
  return hash('sha256', stored.split('$').at(-2) ?? stored, 'base64url').slice(0, VERSION_LENGTH);
}

function read(stored: string): Parameters & { tag: Buffer } {
  const [, memory, passes, parallelism, salt, tag] = PHC_PATTERN.exec(stored) ?? [];
  if (salt === undefined || tag === undefined) throw new Error('A stored password must be a PHC string of argon2id.');
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}

async function formatHash(password: string, parameters: Parameters): Promise<string> {
  return format(parameters, { salt: parameters.salt, tag: await deriveTag(password, parameters, TAG_BYTES) });
}

function format(parameters: Omit<Parameters, 'salt'>, { salt, tag }: { salt: Buffer; tag: Buffer }): string {
  const toBase64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  return `${prefixOf(parameters)}${toBase64(salt)}$${toBase64(tag)}`;
}

function prefixOf({ memory, passes, parallelism }: Omit<Parameters, 'salt'>): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$`;
}

async function deriveTag(password: string, { salt, ...cost }: Parameters, tagLength: number): Promise<Buffer> {
  if (queue.activeCount + queue.pendingCount >= MAX_CONCURRENT + MAX_QUEUED_HASHES) {
    passwordsRefused.value += 1;
    throw unavailable('Too many passwords are being hashed right now; try again shortly.');
  }
  const startedMs = performance.now();
  passwordsWaiting.value += 1;
  return queue(async () => {
    passwordsWaiting.value -= 1;
    passwordsRunning.value += 1;
    passwordWaitSeconds.value += (performance.now() - startedMs) / 1000;
    try {
      return await deriveHash('argon2id', { ...cost, message: password, nonce: salt, tagLength });
    } finally {
      passwordsRunning.value -= 1;
      passwordsHashed.value += 1;
    }
  });
}
