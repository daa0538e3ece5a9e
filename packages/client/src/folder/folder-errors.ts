import { ClientError } from '../errors.ts';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'it was deleted while the folder was read',
  ELOOP: 'it was replaced by a link while the folder was read',
  ENOTDIR: 'it was replaced while the folder was being read',
  EMFILE: 'too many files are open',
};

/** Creates the error for a file or subfolder that cannot be published. @param file Its path in the folder. */
export function folderError(file: string, reason: string, cause?: unknown): ClientError {
  return new ClientError('folder', `${file}: ${reason}.`, { file, cause });
}

/** Creates the error for a file that the system does not allow to read. */
export function unreadableError(file: string, thrown: unknown): ClientError {
  if (thrown instanceof ClientError) return thrown;
  const { code = '', message } = thrown as NodeJS.ErrnoException;
  return folderError(file, REASONS[code] ?? message, thrown);
}

/** Creates the error for a file that keeps changing. */
export function changingFileError(file: string): ClientError {
  return folderError(file, 'it keeps changing; try again when it is complete');
}
