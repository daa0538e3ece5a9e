import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { BackupSource, ByteSink } from '@berth/core/operator';
import type { Session } from './session.ts';

/** The name that stands for standard output or standard input. */
export const STANDARD_STREAM = '-';

const READ_BYTES = 1024 * 1024;

/**
 * Runs work that an interruption of the command ends.
 *
 * @param work Must fail soon after the signal is aborted. The command ends only after it has cleaned up.
 */
export async function interruptible<T>(
  { resources }: Pick<Session, 'resources'>,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const interruption = new AbortController();
  const running = work(interruption.signal);
  resources.defer(async () => {
    interruption.abort(new Error('The command was interrupted.'));
    await running.catch(() => {});
  });
  return running;
}

/** Reads a file, or standard input for `-`, until the signal is aborted. */
export function readBackupFile(path: string, signal: AbortSignal): BackupSource {
  return path === STANDARD_STREAM
    ? { label: 'standard input', chunks: untilAborted(() => process.stdin, signal) }
    : { label: path, chunks: untilAborted(() => createReadStream(path, { highWaterMark: READ_BYTES }), signal) };
}

async function* untilAborted(open: () => AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer> {
  for await (const chunk of open()) {
    signal.throwIfAborted();
    yield chunk;
  }
}

/**
 * Writes a file that appears only when it is complete and durable, and that only its owner can read. It then replaces an
 * existing file. For `-`, writes to standard output.
 *
 * @throws the error of `write`; the incomplete file is then removed.
 */
export async function writeBackupFile<T>(
  path: string,
  signal: AbortSignal,
  write: (sink: ByteSink) => Promise<T>,
): Promise<T> {
  if (path === STANDARD_STREAM) return writeToStandardOutput(signal, write);
  const folder = dirname(path);
  const draft = join(folder, `.${basename(path)}.${randomBytes(4).toString('hex')}.part`);
  const file = await open(draft, 'wx', 0o600);
  try {
    const result = await write(async (bytes) => {
      signal.throwIfAborted();
      await writeAll(file, bytes);
    });
    await file.sync();
    await file.close();
    await rename(draft, path);
    const handle = await open(folder);
    await handle.sync().finally(() => handle.close());
    return result;
  } catch (error) {
    await file.close().catch(() => {}); // The first error is the one to report.
    await rm(draft, { force: true });
    throw error;
  }
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let written = 0; written < bytes.length;)
    written += (await file.write(bytes, written, bytes.length - written)).bytesWritten;
}

function writeToStandardOutput<T>(signal: AbortSignal, write: (sink: ByteSink) => Promise<T>): Promise<T> {
  // Other commands succeed when their reader stops early. A backup without its end is a failure.
  process.stdout.prependOnceListener('error', () => process.exit(1));
  return write((bytes) => {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  });
}
