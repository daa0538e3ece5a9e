import type { App } from 'electron';

/** How long what is under way has to come to an orderly end. */
const CLOSE_LIMIT_MS = 5_000;

/** The end of the app. */
export interface Quitting {
  /** Whether it has begun: windows do not hide any more, but close. */
  begun(): boolean;
  /** Ends what is under way, once, without quitting. It does not reject, and takes no longer than the limit. */
  settle(): Promise<void>;
}

/**
 * Lets the app quit only after what is under way has ended, so that the next start goes on with it. A disk that hangs does not
 * keep the app alive.
 *
 * @param close Ends it. @param limitMs Default: 5 s.
 */
export function settleBeforeQuit(
  app: Pick<App, 'on' | 'quit'>,
  close: () => Promise<void>,
  limitMs: number = CLOSE_LIMIT_MS,
): Quitting {
  let settling: Promise<void> | null = null;
  let settled = false;

  const settle = () => {
    settling ??= new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      const end = () => {
        clearTimeout(timer);
        resolve();
      };
      close().then(end, end);
    }).then(() => void (settled = true));
    return settling;
  };

  app.on('before-quit', (event) => {
    if (settled) return;
    event.preventDefault();
    void settle().then(() => app.quit());
  });

  return { begun: () => settling !== null, settle };
}
