import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';

/**
 * Waits until a thread has ended that has nothing left to do. Terminates it after `limitMs`, without waiting any longer. Terminating
 * comes last, because Node can crash if a thread is terminated while it runs code.
 */
export async function waitForEnd(worker: Worker, limitMs: number): Promise<void> {
  const hasEnded = worker.threadId === -1;
  if (hasEnded) return;
  try {
    await once(worker, 'exit', { signal: AbortSignal.timeout(limitMs) });
  } catch {
    void worker.terminate();
  }
}
