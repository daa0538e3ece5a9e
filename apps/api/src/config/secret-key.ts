import { hkdfSync, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Keys } from '@berth/core';
import type { Config } from './config.ts';

const FILE = 'secret-key';
const KEY_BYTES = 32;

/**
 * Returns the configured secret, or that of the data folder. The first call generates it. Processes that start at the same time
 * get the same secret. The secret survives a loss of power once it is returned, and only the owner of the file can read it.
 *
 * @throws Error if there is no secret although packs are in an object store, because each node would generate another one; if the
 *   file is invalid. The file is not replaced, because a new secret would invalidate sessions and cursors. Source: api §10, §14.
 */
export async function loadSecretKey({
  secretKey,
  dataDir,
  objectStore,
}: Pick<Config, 'secretKey' | 'dataDir' | 'objectStore'>): Promise<Buffer> {
  const known = secretKey ?? (await readSecretKey(dataDir));
  if (known) return known;
  if (objectStore)
    throw new Error(
      'SECRET_KEY must be set with STORAGE_URL, because all nodes need the same key. Use that of the other nodes, or for a new installation the output of "openssl rand -hex 32"',
    );
  await mkdir(dataDir, { recursive: true });
  await createSecretKey(join(dataDir, FILE), randomBytes(KEY_BYTES));
  return (await readSecretKey(dataDir))!;
}

/** Reads the secret of a data folder. @returns `null` if it has none. @throws Error when the file is invalid. */
export async function readSecretKey(dataDir: string): Promise<Buffer | null> {
  const file = join(dataDir, FILE);
  if (!existsSync(file)) return null;
  const text = await readFile(file, 'utf8');
  await syncFolder(dataDir);
  if (!/^[0-9a-f]{64}\n?$/.test(text))
    throw new Error(`${file} must contain 64 hex digits; restore it, or remove it to generate a new secret.`);
  return Buffer.from(text.trim(), 'hex');
}

/** Stores a secret in a data folder that has none. It survives a loss of power when the promise resolves. */
export async function storeSecretKey(dataDir: string, secret: Buffer): Promise<void> {
  await createSecretKey(join(dataDir, FILE), secret);
  await syncFolder(dataDir);
}

/** Removes the secret of a data folder, if it has one. */
export async function removeSecretKey(dataDir: string): Promise<void> {
  await rm(join(dataDir, FILE), { force: true });
  await syncFolder(dataDir);
}

/** Identifies a secret without revealing it. */
export function fingerprintOf(secret: Buffer): string {
  return deriveKey(secret, 'fingerprint').toString('hex');
}

/** Derives one key for each purpose with HKDF-SHA-256, so that no key reveals another. Source: security §7. */
export function deriveKeys(secret: Buffer): Keys {
  return {
    cursor: deriveKey(secret, 'cursor'),
    idempotency: deriveKey(secret, 'idempotency'),
    proof: deriveKey(secret, 'proof'),
    unlock: deriveKey(secret, 'unlock'),
    code: deriveKey(secret, 'code'),
  };
}

function deriveKey(secret: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `berth/${purpose}/v1`, KEY_BYTES));
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  await folder.sync().finally(() => folder.close());
}

/** Creates the complete file, unless it exists: another process may have created it. */
async function createSecretKey(file: string, secret: Buffer): Promise<void> {
  if (existsSync(file)) return;
  const draftFile = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draftFile, `${secret.toString('hex')}\n`, { flag: 'wx', mode: 0o600, flush: true });
    await link(draftFile, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draftFile, { force: true });
  }
}
