import { open, stat } from 'node:fs/promises';

/** How much of a configuration file is read, in bytes. */
const MAX_CONFIG_BYTES = 256 * 1024;

/** Reads the start of a configuration file; empty if the file cannot be read. */
export async function readText(path: string): Promise<string> {
  try {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_CONFIG_BYTES), 0, MAX_CONFIG_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return '';
  }
}

/** Reads a JSON object; `null` if the file is missing or contains anything else. */
export async function readJson(path: string): Promise<Record<string, unknown> | null> {
  try {
    const value: unknown = JSON.parse(await readText(path));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
