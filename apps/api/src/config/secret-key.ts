import { hkdfSync, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Keys } from '@berth/core';

const FILE = 'secret-key';
const KEY_BYTES = 32;

/**
 * Loads the secret of a data folder. The first call generates it. Processes that start at the same time get the same
 * secret. The secret survives a loss of power once it is returned, and only the owner of the file can read it.
 *
 * @throws Error when the file is invalid. The file is not replaced, because a new secret would invalidate sessions and
 *   cursors. Source: api §10.
 */
export async function loadSecretKey(dataDir: string): Promise<Buffer> {
  await mkdir(dataDir, { recursive: true });
  const file = join(dataDir, FILE);
  if (!existsSync(file)) await createSecretKey(file);
  const text = await readFile(file, 'utf8');
  const folder = await open(dataDir);
  await folder.sync().finally(() => folder.close());
  if (!/^[0-9a-f]{64}\n?$/.test(text))
    throw new Error(`${file} must contain 64 hex digits; restore it, or remove it to generate a new secret.`);
  return Buffer.from(text.trim(), 'hex');
}

/** Derives one key for each purpose with HKDF-SHA-256, so that no key reveals another. Source: security §7. */
export function deriveKeys(secret: Buffer): Keys {
  const deriveKey = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', `berth/${purpose}/v1`, KEY_BYTES));
  return {
    cursor: deriveKey('cursor'),
    idempotency: deriveKey('idempotency'),
    proof: deriveKey('proof'),
    unlock: deriveKey('unlock'),
  };
}

/** Creates the complete file, unless another process has already created it. */
async function createSecretKey(file: string): Promise<void> {
  const draftFile = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draftFile, `${randomBytes(KEY_BYTES).toString('hex')}\n`, { flag: 'wx', mode: 0o600, flush: true });
    await link(draftFile, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draftFile, { force: true });
  }
}
