import type { Update } from '../../shared/settings.ts';

/** Newer versions of the app. */
export interface Updates {
  /** Looks for one from here on, every few hours, and downloads it. What goes wrong is tried again at the next look. */
  start(onUpdate: (update: Update) => void): void;
  /** Ends the app, and starts the newer version; the same one where that cannot be installed. What the app was doing has to be ended before. */
  restart(): void;
}

/** Where there is nobody to ask: in a start from the sources, and in a package without an address for updates. */
export const NO_UPDATES: Updates = { start: () => undefined, restart: () => undefined };
