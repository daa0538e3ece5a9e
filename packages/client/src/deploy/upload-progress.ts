import type { Amount, FolderFile } from '../folder/snapshot.ts';
import { createThrottle, PROGRESS_INTERVAL_MS } from '../progress.ts';
import type { DeployEvent } from './events.ts';

/** Counts how much of the missing contents was sent, and emits progress events. */
export class UploadProgress {
  readonly #emit: (event: DeployEvent) => void;
  readonly #isDue = createThrottle(PROGRESS_INTERVAL_MS);
  #total: Amount | null = null;
  #done: Amount = { files: 0, bytes: 0 };
  #sentBytes = 0;

  constructor(emit: (event: DeployEvent) => void) {
    this.#emit = emit;
  }

  /** The largest amount of contents that was missing since the start. */
  get total(): Amount {
    return this.#total ?? this.#done;
  }

  /** Sets the missing contents, at the start or after a retry. All other contents count as sent. */
  begin(missing: readonly FolderFile[]): void {
    const missingAmount = { files: missing.length, bytes: missing.reduce((sum, { size }) => sum + size, 0) };
    if (!this.#total || missingAmount.files > this.#total.files || missingAmount.bytes > this.#total.bytes)
      this.#total = missingAmount;
    this.#done = { files: this.#total.files - missingAmount.files, bytes: this.#total.bytes - missingAmount.bytes };
  }

  /** Counts bytes of a file that were passed to the connection. */
  onPiece(bytes: number): void {
    this.#done.bytes += bytes;
  }

  /** Counts a file that was passed to the connection completely. */
  onFile(): void {
    this.#done.files += 1;
  }

  /** Counts bytes of a request body that were passed to the connection. */
  onBytes(bytes: number): void {
    this.#sentBytes += bytes;
    if (this.#total && this.#isDue()) this.#emitAmount({ ...this.#done });
  }

  /** Reports that all contents have arrived. */
  end(): void {
    this.#emitAmount(this.total);
  }

  #emitAmount(done: Amount): void {
    this.#emit({ type: 'uploaded', done, total: this.total, sentBytes: this.#sentBytes });
  }
}
