import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type FileLock, tryFileLock } from './file-lock.ts';

/** Another process owns the folder. The message names the process and says what to do. */
class FolderInUseError extends Error {
  constructor(folder: string, owner: string) {
    super(`${owner} already uses ${folder}. Stop it, or set DATA_DIR to another folder.`);
    this.name = 'FolderInUseError';
  }
}

/**
 * Makes this process the owner of a folder until it releases the lock or ends. The stored process id is only for error messages.
 *
 * @throws FolderInUseError if another process owns it.
 */
export function claimFolder(folder: string): FileLock {
  const file = join(folder, 'owner.pid');
  const lock = tryFileLock(join(folder, 'owner.lock'));
  if (!lock) throw new FolderInUseError(folder, describeOwner(file));
  writeFileSync(file, `${process.pid} ${hostname()}\n`, { mode: 0o600 });
  return {
    release() {
      rmSync(file, { force: true });
      lock.release();
    },
  };
}

function describeOwner(file: string): string {
  try {
    const [pid, host] = readFileSync(file, 'utf8').trim().split(' ');
    if (!/^\d+$/.test(pid!)) return 'another Berth server';
    return `another Berth server, process ${pid}${host === hostname() ? '' : ` on ${host}`},`;
  } catch {
    return 'another Berth server';
  }
}
