import { readFile, rename } from 'node:fs/promises';
import type { z } from 'zod';
import { replaceFile } from './replace-file.ts';

/** Where a part of the app keeps its file. */
export interface StoreOptions {
  /** The folder of data that must not be lost. */
  dataDir: string;
  /** Called with the path of an invalid file and the path it was moved to. */
  onDamaged?: ((path: string, copy: string) => void) | undefined;
}

export interface JsonFileOptions<T> extends Pick<StoreOptions, 'onDamaged'> {
  /** Absolute. A missing folder is created. */
  path: string;
  /** The schema of the file's content. */
  schema: z.ZodType<T>;
  /** The value if the file is missing or invalid. */
  initial: T;
}

/** A value that is stored in a file. */
export interface JsonFile<T> {
  /** The newest value, even if it is not written yet. */
  value(): T;
  /**
   * Replaces the value. Changes that arrive during a write are combined into one further write of the newest value.
   *
   * @param next Gets the newest value and returns the new one; it must not modify its argument. Returning the same value only
   *   waits for running writes.
   * @returns Resolves when the value is on disk. @throws Error when it cannot be written. The value is still used until the app
   *   ends, and the next change writes it.
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
  let value = (await readOrMoveAway(options)) ?? options.initial;
  let written = value;
  let running: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | null = null;

  const write = async (): Promise<void> => {
    waiting = null;
    const writing = value;
    if (writing === written) return;
    await replaceFile(path, `${JSON.stringify(writing, null, 2)}\n`);
    written = writing;
  };

  return {
    value: () => value,
    change(next) {
      value = next(value);
      if (waiting === null) {
        waiting = running.then(write);
        running = waiting.catch(() => {});
      }
      return waiting;
    },
  };
}

async function readOrMoveAway<T>({ path, schema, onDamaged }: JsonFileOptions<T>): Promise<T | null> {
  let text;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const read = schema.safeParse(parsed(text));
  if (read.success) return read.data;
  const copy = `${path}.damaged`;
  await rename(path, copy);
  onDamaged?.(path, copy);
  return null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
