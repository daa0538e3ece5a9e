import type { Amount } from '../folder/events.ts';
import type { FolderFile } from '../folder/snapshot.ts';
import { createThrottle, PROGRESS_INTERVAL_MS } from '../progress.ts';
import type { DeployEvent } from './events.ts';

/** Reports how much of the missing contents was sent. */
export interface UploadProgress {
  /** The contents that were missing at first, or later if there were more. */
  readonly total: Amount;
  /** Sets the missing contents, at the start or after a retry. All others count as sent. */
  begin(missing: readonly FolderFile[]): void;
  /** Counts bytes of a file that were passed to the connection. */
  onPiece(bytes: number): void;
  /** Counts a file that was handed over completely. */
  onFile(): void;
  /** Counts bytes of a request body that were handed over. */
  onBytes(bytes: number): void;
  /** Reports that all contents have arrived. */
  end(): void;
}

/** The callbacks for a body while it is generated. */
export type BodyProgress = Pick<UploadProgress, 'onPiece' | 'onFile'>;

export function createUploadProgress(emit: (event: DeployEvent) => void): UploadProgress {
  const isProgressDue = createThrottle(PROGRESS_INTERVAL_MS);
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
      if (total && isProgressDue()) emit({ type: 'uploaded', done: { ...done }, total, sentBytes });
    },
    end() {
      const all = total ?? done;
      emit({ type: 'uploaded', done: all, total: all, sentBytes });
    },
  };
}
