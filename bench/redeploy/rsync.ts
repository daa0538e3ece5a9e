import { execFile } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';

const run = promisify(execFile);

export async function hasRsync(): Promise<boolean> {
  return run('rsync', ['--version']).then(
    () => true,
    () => false,
  );
}

/** Makes a web root equal to a folder. @returns The duration in milliseconds. */
export async function rsync(folder: string, webRoot: string): Promise<number> {
  const startedMs = performance.now();
  await run('rsync', ['-a', '--delete', `${folder}/`, `${webRoot}/`]);
  return performance.now() - startedMs;
}

/** Makes a web root equal to a folder, and flushes the disk. @returns The duration in milliseconds. */
export async function rsyncDurably(folder: string, webRoot: string): Promise<number> {
  const startedMs = performance.now();
  await rsync(folder, webRoot);
  await run('sync');
  return performance.now() - startedMs;
}

/** Flushes all pending writes, so that the next measurement waits only for its own bytes. */
export async function flushDisk(): Promise<void> {
  await run('sync');
}
