/** Ctrl-C can reach this process twice: from the terminal, and from npm, which forwards the signal. */
const DUPLICATE_SIGNAL_MS = 500;

/**
 * Handles SIGTERM and SIGINT from now on. A second signal ends the process at once with 1.
 *
 * @returns A signal that the first of them aborts. Its reason is a {@link StopError}.
 */
export function handleStopSignals(): AbortSignal {
  const stopping = new AbortController();
  let stoppingSince: number | null = null;
  const stop = (name: NodeJS.Signals) => {
    const now = performance.now();
    if (stoppingSince !== null && now - stoppingSince < DUPLICATE_SIGNAL_MS) return;
    if (stoppingSince !== null) process.exit(1);
    stoppingSince = now;
    stopping.abort(new StopError(name));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return stopping.signal;
}

/** The reason of a stop that a signal to the process requested. */
export class StopError extends Error {
  override readonly name = 'StopError';
  readonly signal: NodeJS.Signals;

  constructor(signal: NodeJS.Signals) {
    super(`The process received ${signal}.`);
    this.signal = signal;
  }
}
