import type { FileHandle } from 'node:fs/promises';

/** The bytes of a file that may be written before the next step begins. */
const STEP_BYTES = 64 * 1024 ** 2;

/**
 * Makes a growing file durable in steps, while more bytes are written, so that the last `sync` of a large file has little left to do. At
 * most one step runs at a time.
 *
 * @param file The steps call its `datasync`.
 * @param stepBytes Default: 64 MiB.
 */
export function createBackgroundSync(file: Pick<FileHandle, 'datasync'>, stepBytes = STEP_BYTES) {
  let unsyncedBytes = 0;
  let running: Promise<void> | null = null;
  let failure: { error: unknown } | null = null;
  const throwFailure = () => {
    if (failure) throw failure.error;
  };
  return {
    /** Call this after each write. Begins a step if there is enough to do. @throws the error of an earlier step. */
    wrote(bytes: number): void {
      throwFailure();
      unsyncedBytes += bytes;
      if (running || unsyncedBytes < stepBytes) return;
      unsyncedBytes = 0;
      running = file
        .datasync()
        .catch((error: unknown) => void (failure = { error }))
        .finally(() => (running = null));
    },
    /**
     * Waits for the running step. Call this before the last `sync`, which does not report an error of an earlier step again.
     *
     * @throws the error of any step.
     */
    async settle(): Promise<void> {
      await running;
      throwFailure();
    },
  };
}
