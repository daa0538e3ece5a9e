import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { aborted, ClientError } from '../errors.ts';
import { driveOf } from './drive-of.ts';

/** A drive at work. */
interface Busy {
  /** Since when it owes its answer, in milliseconds of the monotonic clock. */
  since: number;
  /** Gives its turn to each caller that waits, in the order in which they came. */
  waiting: Set<() => void>;
}

/** By drive. A network drive that went away stays here until it answers. */
const busy = new Map<string, Busy>();

/**
 * Asks a drive what is at a path, links followed. A network drive that went away may never answer: another thread waits for it,
 * and the caller only until it gives up. So ask first, before anything that blocks this thread.
 *
 * @returns `null` when nothing is there, or it cannot be known.
 * @throws ClientError of the kind `aborted` when the caller gives up.
 */
export function askDrive(path: string, signal: AbortSignal): Promise<Stats | null> {
  return onDrive(path, signal, async (stats) => stats);
}

/**
 * Does work on the drive of a path while the drive answers. Once it has owed one answer for longer than the limit, this call and
 * the later ones fail, until the drive is back.
 *
 * @param work Gets what is at the path, links followed; `null` when nothing is there, or it cannot be known.
 * @throws ClientError of the kind `folder` when the drive does not answer in time, and whatever the work throws.
 */
export async function onDriveWithin<T>(
  path: string,
  withinMs: number,
  work: (stats: Stats | null) => Promise<T>,
): Promise<T> {
  const drive = driveOf(path);
  const leaving = new AbortController();
  const leftMs = (): number => (busy.get(drive)?.since ?? performance.now()) + withinMs - performance.now();
  let isOver = false;
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    timer = setTimeout(() => setImmediate(check), leftMs());
  };
  // After a turn of the event loop: an answer may have come while the machine was asleep, or this thread busy.
  const check = (): void => {
    if (isOver) return;
    if (leftMs() > 0) wait();
    else leaving.abort();
  };
  wait();
  try {
    return await onDrive(path, leaving.signal, work);
  } catch (thrown) {
    if (leaving.signal.aborted && thrown instanceof ClientError && thrown.kind === 'aborted') throw silent(path);
    throw thrown;
  } finally {
    isOver = true;
    clearTimeout(timer!);
  }
}

/**
 * Does work on the drive of a path, one piece of work per drive at a time: the threads that wait for drives are few, and a
 * drive that never answers holds at most one of them.
 */
async function onDrive<T>(path: string, signal: AbortSignal, work: (stats: Stats | null) => Promise<T>): Promise<T> {
  const drive = driveOf(path);
  await takeTurn(drive, signal);
  const done = stat(path)
    .catch(() => null)
    .then(work)
    .finally(() => passTurn(drive));
  return unlessGivenUp(done, signal);
}

async function takeTurn(drive: string, signal: AbortSignal): Promise<void> {
  if (signal.aborted) throw aborted(signal.reason);
  const owner = busy.get(drive);
  if (!owner) {
    busy.set(drive, { since: performance.now(), waiting: new Set() });
    return;
  }
  const turn = Promise.withResolvers<void>();
  owner.waiting.add(turn.resolve);
  const giveUp = (): void => {
    // A turn that was given already is taken, and passed on.
    if (owner.waiting.delete(turn.resolve)) turn.reject(aborted(signal.reason));
  };
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    await turn.promise;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

function passTurn(drive: string): void {
  const owner = busy.get(drive)!;
  const [next] = owner.waiting;
  if (!next) {
    busy.delete(drive);
    return;
  }
  owner.waiting.delete(next);
  owner.since = performance.now();
  next();
}

function silent(path: string): ClientError {
  const name = basename(path) || path;
  return new ClientError(
    'folder',
    `The drive with “${name}” does not answer. Check that it is connected, then try again.`,
  );
}

/**
 * Waits for what cannot be cancelled, and no longer than the caller wants it. A later result is ignored.
 *
 * @throws ClientError of the kind `aborted` when the caller gives up.
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
