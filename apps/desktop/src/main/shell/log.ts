import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The log is renamed to `<path>.old` at the next start once it is larger, in bytes. */
const MAX_BYTES = 1024 * 1024;
/** The maximum number of entries of one run, so that a repeated error cannot fill the disk. */
const MAX_ENTRIES = 2_000;

/** The log file of the app: its starts, and the errors that the user cannot do anything about. It never contains a key. */
export class Log {
  /** The absolute path of the file. */
  readonly path: string;
  #entries = 0;

  /** Begins a log, or continues one that is not large. Never throws: without a disk, nothing is logged. */
  constructor(path: string) {
    this.path = path;
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) renameSync(path, `${path}.old`);
    } catch {
      // The first entry fails too, and is ignored.
    }
  }

  readonly info = (message: string): void => this.#write('info', message);

  /** Logs an error with its causes. */
  readonly error = (context: string, error: unknown): void => this.#write('error', `${context}: ${describe(error)}`);

  /** Writes at once, because the app may be about to crash. Entries are rare. */
  #write(level: string, text: string): void {
    this.#entries += 1;
    if (this.#entries > MAX_ENTRIES) return;
    try {
      appendFileSync(this.path, `${new Date().toISOString()} ${level} ${text}\n`, { mode: 0o600 });
    } catch {
      // Logging must never be the reason why the app fails.
    }
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause === undefined ? text : `${text}\n  caused by ${describe(error.cause)}`;
}
