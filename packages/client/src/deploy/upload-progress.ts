import type { Amount } from '../folder/events.ts';
import type { FolderFile } from '../folder/snapshot.ts';
import { every, PROGRESS_MS } from '../progress.ts';
import type { DeployEvent } from './events.ts';

/** Tells how much of what is missing was sent. */
export interface UploadProgress {
  /** Everything that was missing at first; or later, when that is more. */
  readonly total: Amount;
  /** This is what is missing, at first or again: the rest of it has arrived. */
  begin(missing: readonly FolderFile[]): void;
  /** So many bytes of a file were handed over. */
  onPiece(bytes: number): void;
  /** A file was handed over whole. */
  onFile(): void;
  /** So many bytes of a body were handed over. */
  onBytes(bytes: number): void;
  /** Everything has arrived. */
  end(): void;
}

/** What a body tells of while it is made. */
export type BodyProgress = Pick<UploadProgress, 'onPiece' | 'onFile'>;

export function createUploadProgress(tell: (event: DeployEvent) => void): UploadProgress {
  const isTimeToTell = every(PROGRESS_MS);
  let total: Amount | null = null;
  let done: Amount = { files: 0, bytes: 0 };
  let sentBytes = 0;

  return {
    get total() {
      return total ?? done;
    },
    begin(missing) {
      const amount = { files: missing.length, bytes: missing.reduce((sum, { size }) => sum + size, 0) };
      if (!total || amount.files > total.files || amount.bytes > total.bytes) total = amount;
      done = { files: total.files - amount.files, bytes: total.bytes - amount.bytes };
    },
    onPiece(bytes) {
      done.bytes += bytes;
    },
    onFile() {
      done.files += 1;
    },
    onBytes(bytes) {
      sentBytes += bytes;
      if (total && isTimeToTell()) tell({ type: 'uploaded', done: { ...done }, total, sentBytes });
    },
    end() {
      const all = total ?? done;
      tell({ type: 'uploaded', done: all, total: all, sentBytes });
    },
  };
}
