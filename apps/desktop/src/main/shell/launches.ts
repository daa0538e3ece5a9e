import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { App } from 'electron';
import { isDeepLink } from './deep-link.ts';

/** The argument that starts the app without showing its window. */
export const HIDDEN_FLAG = '--hidden';

export interface Launch {
  /** The link to the app that the user followed. */
  link: string | null;
  /** The absolute paths of items that were dropped on the app's icon or opened with the app. */
  paths: readonly string[];
  hidden: boolean;
}

/**
 * Parses the arguments of a start. Ignores all other arguments next to a link, because the author of the link may have smuggled them
 * in.
 *
 * @param args The whole command line. @param directory The working directory of the start.
 * @param appPath The path of the app. It is an argument of the command line when the app runs from its sources.
 */
export function readLaunch(args: readonly string[], directory: string, appPath: string): Launch {
  const options = args.slice(1);
  const link = options.find(isDeepLink) ?? null;
  if (link !== null) return { link, paths: [], hidden: false };
  const paths = options
    .filter((arg) => arg !== '' && !arg.startsWith('-'))
    .map((arg) => pathOf(arg, directory))
    .filter((path) => path !== null)
    .filter((path) => path !== appPath && !path.includes('\0'));
  return { link, paths, hidden: options.includes(HIDDEN_FLAG) && paths.length === 0 };
}

/** Resolves an argument that is a path or a `file:` URL. @returns The absolute path; `null` for a URL without a local file. */
function pathOf(argument: string, directory: string): string | null {
  if (!/^file:/i.test(argument)) return resolve(directory, argument);
  try {
    return fileURLToPath(argument);
  } catch {
    return null;
  }
}

/**
 * Receives links and folders from a second start of the app and from the events of macOS. macOS may emit events before the app is
 * ready.
 *
 * @param first The launch of this start. @returns A function that subscribes to launches. It also delivers earlier launches.
 */
export function createLaunches(
  app: Pick<App, 'getAppPath' | 'on'>,
  first: Launch,
): (listener: (launch: Launch) => void) => void {
  const undelivered: Launch[] = first.link === null && first.paths.length === 0 ? [] : [first];
  let deliver = (launch: Launch): void => void undelivered.push(launch);

  app.on('second-instance', (_event, args, directory) => deliver(readLaunch(args, directory, app.getAppPath())));
  app.on('open-url', (event, link) => {
    event.preventDefault();
    deliver({ link, paths: [], hidden: false });
  });
  app.on('open-file', (event, path) => {
    event.preventDefault();
    deliver({ link: null, paths: [path], hidden: false });
  });

  return (listener) => {
    deliver = listener;
    for (const launch of undelivered.splice(0)) listener(launch);
  };
}
