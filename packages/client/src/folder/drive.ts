import { readFileSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, win32 } from 'node:path';
import { abortedError, ClientError } from '../errors.ts';

interface BusyDrive {
  /** When the current work began, in milliseconds of `performance.now()`. */
  since: number;
  /** Callbacks that start the waiting callers, in order of arrival. */
  waitingCalls: Set<() => void>;
}

/** The busy drives by name. A network drive that no longer responds stays busy. */
const busyDrives = new Map<string, BusyDrive>();

/**
 * Reads the stats of a path, with links followed. Call this before synchronous file access: a network drive that no longer
 * responds then blocks another thread instead of this thread.
 *
 * @returns `null` if the path does not exist or cannot be read.
 * @throws ClientError of the kind `aborted` if the caller aborts.
 */
export function statOnDrive(path: string, signal: AbortSignal): Promise<Stats | null> {
  return onDrive(path, signal, async (stats) => stats);
}

/**
 * Runs work on the drive of a path, with a time limit. If the work takes longer, this call and all later calls for the drive
 * fail until the drive responds again.
 *
 * @param work Receives the stats of the path, with links followed; `null` if the path does not exist or cannot be read.
 * @throws ClientError of the kind `folder` if the drive does not respond in time, and any error of `work`.
 */
export async function onDriveWithin<T>(
  path: string,
  withinMs: number,
  work: (stats: Stats | null) => Promise<T>,
): Promise<T> {
  const drive = driveOf(path);
  const timeout = new AbortController();
  const remainingMs = (): number => (busyDrives.get(drive)?.since ?? performance.now()) + withinMs - performance.now();
  let isDone = false;
  let timer: NodeJS.Timeout;
  const waitForDrive = (): void => {
    timer = setTimeout(() => setImmediate(check), Math.max(0, remainingMs()));
  };
  // Runs after pending events: the drive may have responded while the machine was asleep or this thread was busy.
  const check = (): void => {
    if (isDone) return;
    if (remainingMs() > 0) waitForDrive();
    else timeout.abort();
  };
  waitForDrive();
  try {
    return await onDrive(path, timeout.signal, work);
  } catch (thrown) {
    if (timeout.signal.aborted && thrown instanceof ClientError && thrown.kind === 'aborted')
      throw driveTimeoutError(path);
    throw thrown;
  } finally {
    isDone = true;
    clearTimeout(timer!);
  }
}

/** Runs work on a drive, one call at a time. So a drive that never responds blocks only one of the threads for file access. */
async function onDrive<T>(path: string, signal: AbortSignal, work: (stats: Stats | null) => Promise<T>): Promise<T> {
  const drive = driveOf(path);
  await acquireDrive(drive, signal);
  const pendingWork = stat(path)
    .catch(() => null)
    .then(work)
    .finally(() => releaseDrive(drive));
  return unlessAborted(pendingWork, signal);
}

async function acquireDrive(drive: string, signal: AbortSignal): Promise<void> {
  if (signal.aborted) throw abortedError(signal.reason);
  const busyDrive = busyDrives.get(drive);
  if (!busyDrive) {
    busyDrives.set(drive, { since: performance.now(), waitingCalls: new Set() });
    return;
  }
  const { promise, resolve } = Promise.withResolvers<void>();
  busyDrive.waitingCalls.add(resolve);
  try {
    await unlessAborted(promise, signal);
  } catch (aborted) {
    if (!busyDrive.waitingCalls.delete(resolve)) releaseDrive(drive);
    throw aborted;
  }
}

function releaseDrive(drive: string): void {
  const busyDrive = busyDrives.get(drive)!;
  const [next] = busyDrive.waitingCalls;
  if (!next) {
    busyDrives.delete(drive);
    return;
  }
  busyDrive.waitingCalls.delete(next);
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

/** Waits for a promise until the caller aborts. @throws ClientError of the kind `aborted` if the caller aborts. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const abortRejection = Promise.withResolvers<never>();
  const onAbort = (): void => abortRejection.reject(abortedError(signal.reason));
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([abortRejection.promise, work]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** The facts that determine on which drive a path is. */
export interface Machine {
  platform: string;
  home: string;
  /** Returns the mount points of drives. Called on Linux only. */
  mountPoints(): readonly string[];
}

const THIS_MACHINE: Machine = { platform: process.platform, home: homedir(), mountPoints: readMountPoints };

/**
 * Returns the name of the drive of a path, without accessing the drive. On the disk of the system or of the home folder, each
 * path counts as a separate drive, because the path may be a link to another drive.
 */
export function driveOf(path: string, machine: Machine = THIS_MACHINE): string {
  const drive = mountPointOf(path, machine);
  return drive === '/' || drive === mountPointOf(machine.home, machine) ? path : drive;
}

function mountPointOf(path: string, { platform, mountPoints }: Machine): string {
  if (platform === 'win32') return win32.parse(path).root.toLowerCase();
  if (platform === 'darwin') return /^\/Volumes\/[^/]+/.exec(path)?.[0] ?? '/';
  let longestMountPoint = '/';
  for (const point of mountPoints())
    if (point.length > longestMountPoint.length && (path === point || path.startsWith(`${point}/`)))
      longestMountPoint = point;
  return longestMountPoint;
}

/** Parses the mount points of `/proc/self/mountinfo`. Source: https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html. */
export function parseMountPoints(text: string): string[] {
  const mountPoints = text.split('\n').map((line) => line.split(' ', 5)[4] ?? '');
  // Spaces and similar characters are written as octal numbers.
  return mountPoints.map((point) =>
    point.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
  );
}

let knownMountPoints: string[] | null = null;

/** Reads the mount points from the kernel, without accessing a drive. Keeps them until the synchronous work is done. */
function readMountPoints(): string[] {
  if (knownMountPoints === null) {
    try {
      knownMountPoints = parseMountPoints(readFileSync('/proc/self/mountinfo', 'utf8'));
    } catch {
      knownMountPoints = [];
    }
    queueMicrotask(() => (knownMountPoints = null));
  }
  return knownMountPoints;
}
