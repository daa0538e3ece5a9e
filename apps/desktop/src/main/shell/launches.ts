import type { App } from 'electron';
import { type Launch, readLaunch } from './launch.ts';

/** Links and folders that are opened with the app while it runs or starts. */
export interface Launches {
  /** Subscribes to launches. Earlier ones are delivered too. */
  subscribe(deliver: (launch: Launch) => void): void;
}

/**
 * Receives links and folders from a second start of the app and from the events of macOS, which can come before the app is ready.
 * The arguments of this start are the first launch.
 */
export function createLaunches(app: Pick<App, 'getAppPath' | 'on'>, first: Launch): Launches {
  const early: Launch[] = first.link === null && first.paths.length === 0 ? [] : [first];
  let deliver = (launch: Launch): void => void early.push(launch);

  app.on('second-instance', (_event, args, directory) => deliver(readLaunch(args, directory, app.getAppPath())));
  app.on('open-url', (event, link) => {
    event.preventDefault();
    deliver({ link, paths: [], hidden: false });
  });
  app.on('open-file', (event, path) => {
    event.preventDefault();
    deliver({ link: null, paths: [path], hidden: false });
  });

  return {
    subscribe: (listener) => {
      deliver = listener;
      for (const launch of early.splice(0)) listener(launch);
    },
  };
}
