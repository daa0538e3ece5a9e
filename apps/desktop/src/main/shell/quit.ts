import type { App } from 'electron';

/** How long running work may take to end, in milliseconds. */
const CLOSE_LIMIT_MS = 5_000;

/** The state of quitting the app. */
export interface Quitting {
  /** True once quitting has begun. Windows then close instead of hiding. */
  begun(): boolean;
  /** Ends running work, once, without quitting. Does not reject. Takes no longer than the limit. */
  stop(): Promise<void>;
}

/**
 * Delays quitting until running work has ended, so that the next start can resume it. A time limit makes sure that a hanging disk
 * cannot keep the app alive.
 *
 * @param close Ends running work.
 */
export function stopBeforeQuit(app: Pick<App, 'on' | 'quit'>, close: () => Promise<void>): Quitting {
  let stopping: Promise<void> | null = null;
  let stopped = false;

  const stop = () => {
    stopping ??= new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, CLOSE_LIMIT_MS);
      const end = () => {
        clearTimeout(timer);
        resolve();
      };
      close().then(end, end);
    }).then(() => void (stopped = true));
    return stopping;
  };

  app.on('before-quit', (event) => {
    if (stopped) return;
    event.preventDefault();
    void stop().then(() => app.quit());
  });

  return { begun: () => stopping !== null, stop };
}
