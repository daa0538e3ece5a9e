import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepLink } from './deep-link.ts';

/** With this argument the app starts without showing its window. */
export const HIDDEN = '--hidden';

/** What the app was started with. */
export interface Launch {
  /** A link to the app that was followed. */
  link: string | null;
  /** What was dropped on its icon, or opened with it: absolute paths. */
  paths: readonly string[];
  hidden: boolean;
}

/**
 * Reads the arguments of a start.
 *
 * Where links come as arguments, whoever wrote the link may have tried to smuggle more of them in: beside a link nothing else
 * counts.
 *
 * @param args The whole command line. @param directory Where it was typed. @param appPath The app itself, which a start from its sources names.
 */
export function readLaunch(args: readonly string[], directory: string, appPath: string): Launch {
  const given = args.slice(1);
  const link = given.find(isDeepLink) ?? null;
  if (link !== null) return { link, paths: [], hidden: false };
  const paths = given
    .filter((arg) => arg !== '' && !arg.startsWith('-'))
    .map((arg) => pathOf(arg, directory))
    .filter((path) => path !== null)
    .filter((path) => path !== appPath && !path.includes('\0'));
  return { link, paths, hidden: given.includes(HIDDEN) && paths.length === 0 };
}

/** Desktops hand over what is opened with the app as a path, or as a `file:` URL. @returns `null` for the URL of no file here. */
function pathOf(argument: string, directory: string): string | null {
  if (!/^file:/i.test(argument)) return resolve(directory, argument);
  try {
    return fileURLToPath(argument);
  } catch {
    return null;
  }
}
