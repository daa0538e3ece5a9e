import type { App } from 'electron';

/** How long running work may take to stop, in milliseconds. */
const CLOSE_LIMIT_MS = 5_000;

/**
 * Delays quitting until running work has stopped, so that the next start can resume the work. A time limit makes sure that a hanging
 * disk cannot keep the app alive.
 *
 * @param close Stops running work.
 * @returns `begun` is true once quitting has begun; windows then close instead of hiding. `stop` stops running work without quitting.
 *   It runs `close` only once, does not reject, and takes no longer than the limit.
 */
export function stopBeforeQuit(app: Pick<App, 'on' | 'quit'>, close: () => Promise<void>) {
  let stopping: Promise<void> | null = null;
  let isStopped = false;

  const stopBackend = () => {
    stopping ??= new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, CLOSE_LIMIT_MS);
      const finishQuit = () => {
        clearTimeout(timer);
        resolve();
      };
      close().then(finishQuit, finishQuit);
    }).then(() => void (isStopped = true));
    return stopping;
  };

  app.on('before-quit', (event) => {
    if (isStopped) return;
    event.preventDefault();
    void stopBackend().then(() => app.quit());
  });

  return { begun: () => stopping !== null, stop: stopBackend };
}
