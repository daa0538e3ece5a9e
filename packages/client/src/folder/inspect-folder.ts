import { opendir, readFile, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, parse, sep } from 'node:path';
import {
  BUILD_CONFIGS,
  BUILDS,
  type FolderDoubt,
  folderDoubt,
  type FolderFacts,
  FRONT_PAGE,
  PERSONAL_FOLDER,
  SOURCES,
} from './folder-doubt.ts';

/** The maximum number of entries that are read of a folder. */
const MAX_ENTRIES = 200;
/** The paths at which whole disks are mounted. */
const DISK_ROOT = /^(\/(Volumes|mnt)\/[^/]+|\/(run\/)?media\/[^/]+(\/[^/]+)?)$/;

/**
 * Finds out whether a folder may be the wrong one to publish, so that a program can ask or warn. Checks only a few names, never the whole tree.
 *
 * @param home The home folder. Default: the user's home folder.
 * @returns `null` if the folder looks like a site, or cannot be read: publishing it reports the error. Source: desktop §8.17.
 */
export async function inspectFolder(path: string, home: string = homedir()): Promise<FolderDoubt | null> {
  try {
    return folderDoubt(await readFacts(await realpath(path), home));
  } catch {
    return null;
  }
}

async function readFacts(root: string, home: string): Promise<FolderFacts> {
  const isPersonalFolder = await isPersonal(root, home);
  const hasFile = (name: string) => isFile(join(root, name));
  // The checks run one after the other, so that a drive that stops responding blocks only one thread.
  const frontPage = await hasFile(FRONT_PAGE);
  const source = await hasAny(SOURCES, hasFile);
  const isUnbuilt = await hasAny(BUILD_CONFIGS, hasFile);
  if (isPersonalFolder)
    return { personal: isPersonalFolder, frontPage, source, unbuilt: isUnbuilt, builds: [], sites: [] };
  const buildFolders = await withFrontPage(root, BUILDS);
  // A folder with a front page is itself a site, so its subfolders are not suggested.
  const sites = frontPage ? [] : await withFrontPage(root, await foldersIn(root, BUILDS));
  return { personal: isPersonalFolder, frontPage, source, unbuilt: isUnbuilt, builds: buildFolders, sites };
}

/** The maximum size of a front page of a single-page app, in bytes. */
const MAX_APP_PAGE_BYTES = 64 * 1024;
/** The empty elements that Vite, Vue, Angular and similar templates fill. */
const MOUNT_POINT = /<div id="?(?:root|app|__next|__nuxt|q-app)"?>\s{0,99}<\/div>|<app-root>\s{0,99}<\/app-root>/i;
/** One of these files at the root decides what an unknown path shows. */
const FALLBACKS = ['404.html', '200.html', '_redirects', 'ship.json', 'netlify.toml'];

/**
 * Returns true if a folder is probably a single-page app whose inner pages are not found, because only the front page exists and no
 * file decides what other paths show.
 */
export async function isAppWithoutRoutes(folder: string): Promise<boolean> {
  const page = join(folder, FRONT_PAGE);
  const stats = await stat(page).catch(() => null);
  if (stats?.isFile() !== true || stats.size > MAX_APP_PAGE_BYTES) return false;
  if (await hasAny(FALLBACKS, (name) => isFile(join(folder, name)))) return false;
  const text = await readFile(page, 'utf8').catch(() => '');
  return MOUNT_POINT.test(text) && text.includes('<script');
}

/** True for the home folder and its parents, the personal folders in it, and whole disks. */
async function isPersonal(root: string, home: string): Promise<boolean> {
  if (parse(root).root === root) return true;
  const realHome = await realpath(home).catch(() => home);
  if (root === realHome || realHome.startsWith(root + sep)) return true;
  if (DISK_ROOT.test(root) || (dirname(root) === realHome && PERSONAL_FOLDER.test(basename(root)))) return true;
  return (await readUserFolders(realHome)).includes(root);
}

/** The personal folders that a Linux desktop lists in `user-dirs.dirs`. */
async function readUserFolders(home: string): Promise<string[]> {
  const text = await readFile(join(home, '.config', 'user-dirs.dirs'), 'utf8').catch(() => '');
  return [...text.matchAll(/^XDG_\w+_DIR="\$HOME\/([^"]+?)\/?"$/gm)].map(([, name = '']) => join(home, name));
}

/** Lists the direct subfolders, except known and hidden folders and `node_modules`. */
async function foldersIn(root: string, known: readonly string[]): Promise<string[]> {
  const names: string[] = [];
  let count = 0;
  for await (const entry of await opendir(root)) {
    count += 1;
    if (entry.isDirectory() && !/^[._]|^node_modules$/.test(entry.name) && !known.includes(entry.name))
      names.push(entry.name);
    if (count === MAX_ENTRIES) break;
  }
  return names.toSorted();
}

async function withFrontPage(root: string, names: readonly string[]): Promise<string[]> {
  const namesWithPage: string[] = [];
  for (const name of names) if (await isFile(join(root, name, FRONT_PAGE))) namesWithPage.push(name);
  return namesWithPage;
}

async function hasAny(names: readonly string[], hasFile: (name: string) => Promise<boolean>): Promise<boolean> {
  for (const name of names) if (await hasFile(name)) return true;
  return false;
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
