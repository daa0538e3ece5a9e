import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import type { z } from 'zod';

export interface JsonFileOptions<T> {
  /** Absolute. Its folder is made when it is missing. */
  path: string;
  /** What the file must hold. */
  schema: z.ZodType<T>;
  /** What holds while there is no file, or none that can be understood. */
  initial: T;
  /** Hears of a file that is there and cannot be understood, and of the copy that is left of it. */
  onSetAside?: ((path: string, copy: string) => void) | undefined;
}

/** One value that outlives the app. */
export interface JsonFile<T> {
  /** The newest value, also while it is on its way to the disk. */
  value(): T;
  /**
   * Replaces the value. Changes that come while one is written are written together, the last one as a whole.
   *
   * @param next Is given the newest value, and leaves it as it is. Giving it back waits for what is under way.
   * @returns Once the value is on disk. @throws Error when it cannot be written; the value holds until the app ends, and is
   *   written with the next change.
   */
  change(next: (value: T) => T): Promise<void>;
}

/**
 * Opens a file of JSON that only its owner can read. It is replaced in one step, so that after a crash it holds the value
 * before or the value after. One that is damaged is set aside as `<path>.damaged`.
 *
 * @throws Error when the file is there and cannot be read. Source: design of the desktop app, §2.
 */
export async function openJsonFile<T>(options: JsonFileOptions<T>): Promise<JsonFile<T>> {
  const { path } = options;
  let value = (await readOrSetAside(options)) ?? options.initial;
  let written = value;
  let running: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | null = null;

  const write = async (): Promise<void> => {
    waiting = null;
    const writing = value;
    if (writing === written) return;
    await replace(path, `${JSON.stringify(writing, null, 2)}\n`);
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

async function readOrSetAside<T>({ path, schema, onSetAside }: JsonFileOptions<T>): Promise<T | null> {
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
  onSetAside?.(path, copy);
  return null;
}

async function replace(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
