import { readFile, rename } from 'node:fs/promises';
import type { z } from 'zod';
import { replaceFile } from '@berth/client/replace-file';

/** The options of a part of the app that stores a file. */
export interface StoreOptions {
  /** The folder of data that must not be lost. */
  dataDir: string;
  /** Called with the path of an invalid file and the path to which the file was moved. */
  onDamaged?: ((path: string, copy: string) => void) | undefined;
}

interface JsonFileOptions<T> extends Pick<StoreOptions, 'onDamaged'> {
  /** The absolute path of the file. A missing folder is created. */
  path: string;
  schema: z.ZodType<T>;
  /** The value if the file is missing or invalid. */
  initialValue: T;
}

export interface JsonFile<T> {
  /** Returns the newest value, even if it is not written yet. */
  value(): T;
  /**
   * Replaces the value. Changes that arrive during a write are combined into one further write of the newest value.
   *
   * @param next Gets the newest value and returns the new value; it must not modify its argument. If it returns the same value,
   *   `change` only waits for running writes.
   * @returns Resolves when the value is on disk. @throws Error when the value cannot be written. The app still uses the value, and
   *   the next change writes it.
   */
  change(next: (value: T) => T): Promise<void>;
}

/**
 * Opens a JSON file that only its owner can read. Writes are atomic: after a crash the file has either the old or the new value.
 * An invalid file is renamed to `<path>.damaged`.
 *
 * @throws Error when the file exists and cannot be read. Source: desktop §2.
 */
export async function openJsonFile<T>(options: JsonFileOptions<T>): Promise<JsonFile<T>> {
  const { path } = options;
  let value = (await readOrMoveAway(options)) ?? options.initialValue;
  let writtenValue = value;
  let runningWrite: Promise<void> = Promise.resolve();
  let pendingWrite: Promise<void> | null = null;

  const writeNewest = async (): Promise<void> => {
    pendingWrite = null;
    const newestValue = value;
    if (newestValue === writtenValue) return;
    await replaceFile(path, `${JSON.stringify(newestValue, null, 2)}\n`);
    writtenValue = newestValue;
  };

  return {
    value: () => value,
    change(next) {
      value = next(value);
      if (pendingWrite === null) {
        pendingWrite = runningWrite.then(writeNewest);
        runningWrite = pendingWrite.catch(() => {});
      }
      return pendingWrite;
    },
  };
}

async function readOrMoveAway<T>({ path, schema, onDamaged }: JsonFileOptions<T>): Promise<T | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  try {
    return text === null ? null : schema.parse(JSON.parse(text));
  } catch {
    const copyPath = `${path}.damaged`;
    await rename(path, copyPath);
    onDamaged?.(path, copyPath);
    return null;
  }
}
