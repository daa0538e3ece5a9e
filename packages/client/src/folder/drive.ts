import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { abortedError, ClientError } from '../errors.ts';
import { driveOf } from './drive-of.ts';

interface BusyDrive {
  /** When the current work began, in milliseconds of the monotonic clock. */
  since: number;
  /** Callbacks that start the waiting callers, in order of arrival. */
  waiting: Set<() => void>;
}

/** The busy drives. A network drive that went away stays here until it responds. */
const busy = new Map<string, BusyDrive>();

/**
 * Reads what is at a path, and follows links. A network drive that went away may never respond: then another thread is blocked,
 * and the caller waits only until it aborts. So call this before anything that would block this thread.
 *
 * @returns `null` if nothing is there, or if it cannot be read.
 * @throws ClientError of the kind `aborted` if the caller aborts.
 */
export function statOnDrive(path: string, signal: AbortSignal): Promise<Stats | null> {
  return onDrive(path, signal, async (stats) => stats);
}

/**
 * Runs work on the drive of a path, with a time limit. If one piece of work takes longer than the limit, this call and later
 * ones fail until the drive responds again.
 *
 * @param work Receives the stats of the path, with links followed; `null` if nothing is there, or if it cannot be read.
 * @throws ClientError of the kind `folder` if the drive does not respond in time, and any error of `work`.
 */
export async function onDriveWithin<T>(
  path: string,
  withinMs: number,
  work: (stats: Stats | null) => Promise<T>,
): Promise<T> {
  const drive = driveOf(path);
  const timeout = new AbortController();
  const remainingMs = (): number => (busy.get(drive)?.since ?? performance.now()) + withinMs - performance.now();
  let isOver = false;
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    timer = setTimeout(() => setImmediate(check), remainingMs());
  };
  // Checked after a turn of the event loop: the drive may have responded while the machine was asleep or this thread was busy.
  const check = (): void => {
    if (isOver) return;
    if (remainingMs() > 0) wait();
    else timeout.abort();
  };
  wait();
  try {
    return await onDrive(path, timeout.signal, work);
  } catch (thrown) {
    if (timeout.signal.aborted && thrown instanceof ClientError && thrown.kind === 'aborted')
      throw driveTimeoutError(path);
    throw thrown;
  } finally {
    isOver = true;
    clearTimeout(timer!);
  }
}

/**
 * Runs one piece of work per drive at a time. There are few threads for file access, and a drive that never responds blocks at
 * most one of them.
 */
async function onDrive<T>(path: string, signal: AbortSignal, work: (stats: Stats | null) => Promise<T>): Promise<T> {
  const drive = driveOf(path);
  await acquireDrive(drive, signal);
  const done = stat(path)
    .catch(() => null)
    .then(work)
    .finally(() => releaseDrive(drive));
  return unlessAborted(done, signal);
}

async function acquireDrive(drive: string, signal: AbortSignal): Promise<void> {
  if (signal.aborted) throw abortedError(signal.reason);
  const busyDrive = busy.get(drive);
  if (!busyDrive) {
    busy.set(drive, { since: performance.now(), waiting: new Set() });
    return;
  }
  const turn = Promise.withResolvers<void>();
  busyDrive.waiting.add(turn.resolve);
  const onAbort = (): void => {
    // If the turn was already granted, it is used and then passed on.
    if (busyDrive.waiting.delete(turn.resolve)) turn.reject(abortedError(signal.reason));
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await turn.promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function releaseDrive(drive: string): void {
  const busyDrive = busy.get(drive)!;
  const [next] = busyDrive.waiting;
  if (!next) {
    busy.delete(drive);
    return;
  }
  busyDrive.waiting.delete(next);
  busyDrive.since = performance.now();
  next();
}

function driveTimeoutError(path: string): ClientError {
  const name = basename(path) || path;
  return new ClientError(
    'folder',
    `The drive with “${name}” does not answer. Check that it is connected, then try again.`,
  );
}

/**
 * Waits for a promise that cannot be cancelled, until the caller aborts. A later result is ignored.
 *
 * @throws ClientError of the kind `aborted` if the caller aborts.
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborting = Promise.withResolvers<never>();
  const onAbort = (): void => aborting.reject(abortedError(signal.reason));
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([aborting.promise, work]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
