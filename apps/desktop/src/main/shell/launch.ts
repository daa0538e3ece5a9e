import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepLink } from './deep-link.ts';

/** Starts the app without showing its window. */
export const HIDDEN = '--hidden';

/** The arguments of a start. */
export interface Launch {
  /** The link to the app that the user followed. */
  link: string | null;
  /** The absolute paths of items that were dropped on the app's icon or opened with the app. */
  paths: readonly string[];
  hidden: boolean;
}

/**
 * Parses the arguments of a start.
 *
 * If there is a link, all other arguments are ignored, because the author of the link may have smuggled them in.
 *
 * @param args The whole command line. @param directory Its working directory. @param appPath The path of the app, which is an
 *   argument when it is started from its sources.
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
  return { link, paths, hidden: options.includes(HIDDEN) && paths.length === 0 };
}

/** Desktops pass a path or a `file:` URL. @returns The absolute path; `null` for a URL that is not of a local file. */
function pathOf(argument: string, directory: string): string | null {
  if (!/^file:/i.test(argument)) return resolve(directory, argument);
  try {
    return fileURLToPath(argument);
  } catch {
    return null;
  }
}
