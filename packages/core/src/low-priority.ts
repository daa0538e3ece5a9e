import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';

/** Lets the work of other processes run before that of this process. Has no effect where the system does not allow it. */
export function lowerProcessPriority(): void {
  ifAllowed(() => setPriority(constants.priority.PRIORITY_LOW));
}

/**
 * Lets the work of other threads run before most of that of the calling thread, so that it does not delay responses when every core is
 * busy. Has an effect on Linux only, where a thread has a priority of its own.
 */
export function lowerThreadPriority(): void {
  ifAllowed(() => {
    const thread = Number(basename(readlinkSync('/proc/thread-self')));
    setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL);
  });
}

/** Changes a setting of this process or thread. Ignores the error on systems that do not have it, or do not allow the change. */
export function ifAllowed(change: () => void): void {
  try {
    change();
  } catch {}
}
