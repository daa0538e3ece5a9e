import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';

interface SupervisorOptions<S> {
  /** The server that runs now. */
  server: S;
  /** Waits until a server has ended. @returns How it ended, such as `signal 9`. */
  ended(server: S, signal: AbortSignal): Promise<string>;
  /** Restarts the server, or finds it running. @throws if it does not start. */
  restart(signal: AbortSignal): Promise<S>;
  log: Log;
  /** Called once after {@link MAX_FAILURES} failed starts in a row. The supervision has then ended. */
  giveUp(error: Error): void;
}

const MAX_FAILURES = 5;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 4_000;
/** A server that ran for at least this long is restarted without a pause. */
const SETTLED_MS = 10_000;
/** The maximum pause before the restart of a server that starts but soon ends again. */
const MAX_REPEAT_PAUSE_MS = 2_000;

/**
 * Restarts a server whenever it ends: at once the first time, then after growing pauses if it soon ends again or does not start.
 *
 * @returns Ends the supervision, not the server. Safe to call again.
 * Source: api §12.
 */
export function superviseServer<S>({ server, ended, restart, log, giveUp }: SupervisorOptions<S>): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause = (ms: number) => sleep(ms, undefined, { signal, ref: false });

  async function restartWithRetries(): Promise<S> {
    for (let failures = 0; ;) {
      try {
        return await restart(signal);
      } catch (error) {
        signal.throwIfAborted();
        failures += 1;
        if (failures === MAX_FAILURES)
          throw new Error(
            `The database ended and could not be started ${failures} times in a row. ${(error as Error).message}`,
            { cause: error },
          );
        const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS);
        log.error({ err: error, failures, pauseMs }, 'The database did not start; trying again');
        await pause(pauseMs);
      }
    }
  }

  async function keepRunning(): Promise<void> {
    let current = server;
    for (let soon = 0; ;) {
      const start = performance.now();
      const how = await ended(current, signal);
      const end = performance.now();
      soon = end - start < SETTLED_MS ? soon + 1 : 0;
      log.error({}, `The database ended (${how}); restarting`);
      if (soon > 1) await pause(Math.min(FIRST_PAUSE_MS * 2 ** (soon - 2), MAX_REPEAT_PAUSE_MS));
      current = await restartWithRetries();
      log.warn({ afterMs: Math.round(performance.now() - end) }, 'The database is back');
    }
  }

  const running = keepRunning().catch((error: Error) => {
    if (!signal.aborted) giveUp(error);
  });
  return () => {
    stopping.abort();
    return running;
  };
}
