import type { App } from 'electron';
import { type Launch, readLaunch } from './launch.ts';

/** Links and folders that are opened with the app while it runs or starts. */
export interface Arrivals {
  /** Subscribes to arrivals. Earlier ones are delivered too. */
  listen(hear: (arrival: Launch) => void): void;
}

/**
 * Receives links and folders from a second start of the app and from the events of macOS, which can come before the app is ready.
 * The arguments of this start are the first arrival.
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
