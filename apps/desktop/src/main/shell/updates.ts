import type { Update } from '../../shared/settings.ts';

/** Finds and installs newer versions of the app. */
export interface Updates {
  /** Checks for a newer version now and every few hours, and downloads it. The next check retries after an error. */
  start(onUpdate: (update: Update) => void): void;
  /**
   * Quits the app and starts the newer version, or the same version if installing fails. The caller must stop all running work
   * first.
   */
  restart(): void;
}

/** For an app that runs from its sources, and for packages without an update feed. */
export const NO_UPDATES: Updates = { start: () => undefined, restart: () => undefined };
