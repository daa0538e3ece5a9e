import type { FileRefusals } from '@berth/contract';
import { ClientError } from '../errors.ts';

const DENIED = 'permission denied';
const REASONS: Readonly<Record<string, string>> = {
  EACCES: DENIED,
  EPERM: DENIED,
  ENOENT: 'the item was deleted while the folder was read',
  ELOOP: 'the item was replaced by a link while the folder was read',
  ENOTDIR: 'the item was replaced while the folder was read',
  EMFILE: 'too many files are open',
};

/** Creates the error for a file or subfolder that cannot be published. @param file The path inside the folder. */
export function folderError(file: string, reason: string, cause?: unknown): ClientError {
  return new ClientError('folder', `${file}: ${reason}.`, { file, cause });
}

/** @throws ClientError of the kind `folder` that names the refused files, if there are any. Its `details` lists them in `issues`. */
export function throwRefusals(refusals: FileRefusals): void {
  const summary = refusals.summary();
  if (!summary) return;
  const { message, file, issues } = summary;
  throw new ClientError('folder', `${message}.`, { file, details: { issues } });
}

/** Returns the result of `read`. @throws ClientError of the kind `folder` that names the file if `read` fails. */
export function readOrRefuse<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw unreadableError(file, thrown);
  }
}

/** macOS reports this code for files in folders such as Documents that the user has not allowed the program to read. */
const MAC_DENIED =
  'macOS does not allow access; allow it in System Settings, under Privacy & Security, Files and Folders, then try again';

/** Creates the error for a file or subfolder that cannot be read. @param thrown A `ClientError` is returned as it is. */
export function unreadableError(file: string, thrown: unknown, platform: string = process.platform): ClientError {
  if (thrown instanceof ClientError) return thrown;
  const { code = '', message } = thrown as NodeJS.ErrnoException;
  const reason = platform === 'darwin' && code === 'EPERM' ? MAC_DENIED : REASONS[code];
  return folderError(file, reason ?? message, thrown);
}

export function changingFileError(file: string): ClientError {
  return folderError(file, 'the file keeps changing; try again when it is complete');
}
