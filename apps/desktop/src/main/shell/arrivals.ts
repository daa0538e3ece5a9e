import type { App } from 'electron';
import { type Launch, readLaunch } from './launch.ts';

/** What is brought to an app that runs, or is about to. */
export interface Arrivals {
  /** Hears of each one, and of those that came before. */
  listen(hear: (arrival: Launch) => void): void;
}

/**
 * Listens for links and folders from outside: by a second start, and by the events of macOS, which come as early as they like.
 * What this start was given itself is the first of them.
 */
export function createArrivals(app: Pick<App, 'getAppPath' | 'on'>, first: Launch): Arrivals {
  const early: Launch[] = first.link === null && first.paths.length === 0 ? [] : [first];
  let hear = (arrival: Launch): void => void early.push(arrival);

  app.on('second-instance', (_event, args, directory) => hear(readLaunch(args, directory, app.getAppPath())));
  app.on('open-url', (event, link) => {
    event.preventDefault();
    hear({ link, paths: [], hidden: false });
  });
  app.on('open-file', (event, path) => {
    event.preventDefault();
    hear({ link: null, paths: [path], hidden: false });
  });

  return {
    listen: (listener) => {
      hear = listener;
      for (const arrival of early.splice(0)) listener(arrival);
    },
  };
}
