import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { aborted } from '../errors.ts';

/**
 * Asks a drive what is at a path, links followed. A drive of the network that went away may never answer: another thread waits
 * for it, and this one only until the caller gives up. So it is asked first, before anything that holds this thread.
 *
 * @returns `null` when nothing is there, or nobody may know.
 * @throws ClientError of the kind `aborted` when the caller gave up.
 */
export function askDrive(path: string, signal: AbortSignal): Promise<Stats | null> {
  return unlessGivenUp(
    stat(path).catch(() => null),
    signal,
  );
}

/**
 * Waits for what cannot be cancelled, and no longer than the caller wants it. What comes of it later is of no interest.
 *
 * @throws ClientError of the kind `aborted` when the caller gave up.
 */
export async function unlessGivenUp<T>(asked: Promise<T>, signal: AbortSignal): Promise<T> {
  const givenUp = Promise.withResolvers<never>();
  const giveUp = (): void => givenUp.reject(aborted(signal.reason));
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    return await Promise.race([givenUp.promise, asked]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
