import { hkdfSync, randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Keys } from '@berth/core';

const FILE = 'secret-key';
const KEY_BYTES = 32;

/**
 * The secret that is stored in a data folder; generated the first time. Processes that start at the same time get the
 * same one.
 *
 * Once returned, it survives a loss of power. Only its owner can read the file.
 *
 * @throws Error when the content of the file is invalid. The file is not replaced, because a new secret would end
 *   sessions and cursors. Source: api §10.
 */
export async function loadSecretKey(dataDir: string): Promise<Buffer> {
  await mkdir(dataDir, { recursive: true });
  const file = join(dataDir, FILE);
  const text = (await readIfPresent(file)) ?? (await createSecretKey(file));
  const folder = await open(dataDir);
  await folder.sync().finally(() => folder.close());
  if (!/^[0-9a-f]{64}\n?$/.test(text))
    throw new Error(`${file} must contain 64 hex digits; restore it, or remove it to generate a new secret.`);
  return Buffer.from(text.trim(), 'hex');
}

/** The keys of all purposes: HKDF-SHA-256 of the secret, so that no key reveals another. Source: security §7. */
export function deriveKeys(secret: Buffer): Keys {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', `berth/${purpose}/v1`, KEY_BYTES));
  return {
    cursor: derive('cursor'),
    idempotency: derive('idempotency'),
    proof: derive('proof'),
    unlock: derive('unlock'),
  };
}

/** Creates the file complete, unless another process was first. @returns The content that is there then. */
async function createSecretKey(file: string): Promise<string> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draft, `${randomBytes(KEY_BYTES).toString('hex')}\n`, { flag: 'wx', mode: 0o600, flush: true });
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  return readFile(file, 'utf8');
}

async function readIfPresent(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
