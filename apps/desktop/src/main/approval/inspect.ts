import { opendir, readFile, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, parse, sep } from 'node:path';
import type { FolderQuestion } from '../../shared/publishing.ts';

/** The question to ask before a folder is published, and the folders inside it that the user more likely meant. */
export interface FolderDoubt {
  about: FolderQuestion['about'];
  /** Relative to the folder, `/`-separated. */
  suggestions: string[];
}

/** The facts about a folder that decide whether to ask. */
export interface FolderFacts {
  /** It is a personal or system folder, such as the home folder. */
  personal: boolean;
  /** There is an `index.html` at its root. */
  frontPage: boolean;
  /** There is a file at its root that marks the source of a project, such as `package.json`. */
  source: boolean;
  /** It must be built before it can be published, even if it has an `index.html`. */
  unbuilt: boolean;
  /** Folders with a usual name for build output that have an `index.html`. */
  builds: readonly string[];
  /** Other folders right below it that have an `index.html`. */
  sites: readonly string[];
}

const MAX_SUGGESTIONS = 5;
/** The number of entries that are read of a folder, at most. */
const MAX_ENTRIES = 200;
const FRONT_PAGE = 'index.html';

const BUILDS = ['dist', 'build', 'out', 'public', '_site', '.output/public', 'www', 'site', 'book', 'dist/browser'];
const SOURCES = [
  'package.json',
  'deno.json',
  'Gemfile',
  'hugo.toml',
  'hugo.yaml',
  'hugo.json',
  'config.toml',
  '_config.yml',
  '_config.yaml',
  'mkdocs.yml',
  'book.toml',
  'pyproject.toml',
  'composer.json',
  'Cargo.toml',
  'go.mod',
];
/** An `index.html` next to one of these files is a source, not a finished page. */
const UNBUILT = ['vite.config.js', 'vite.config.mjs', 'vite.config.ts', 'vite.config.mts'];

/** Names of personal folders in the home folder. Localized names are read from `user-dirs.dirs`. */
const PERSONAL: ReadonlySet<string> = new Set([
  'Desktop',
  'Documents',
  'Downloads',
  'Pictures',
  'Music',
  'Movies',
  'Videos',
  'Library',
  'Public',
]);
/** Where disks are mounted. A folder up to `depth` names below is a disk. */
const DISKS: readonly (readonly [below: string, depth: number])[] = [
  ['/Volumes', 1],
  ['/media', 2],
  ['/run/media', 2],
  ['/mnt', 1],
];

/**
 * Decides what to ask before a folder is published; `null` if it looks like a site. Checks only a few names, never the whole
 * tree. Also returns `null` for a folder that cannot be read, because publishing it will report the error.
 *
 * @param home The home folder. Default: the user's.
 * Source: desktop §8.17.
 */
export async function inspectFolder(path: string, home: string = homedir()): Promise<FolderDoubt | null> {
  try {
    return folderDoubt(await readFacts(await realpath(path), home));
  } catch {
    return null;
  }
}

/** Decides what to ask. Pure. */
export function folderDoubt({ personal, frontPage, source, unbuilt, builds, sites }: FolderFacts): FolderDoubt | null {
  if (personal) return { about: 'personal', suggestions: [] };
  const suggestions = [...builds, ...sites].slice(0, MAX_SUGGESTIONS);
  if (unbuilt || (source && (!frontPage || builds.length > 0))) return { about: 'project', suggestions };
  return frontPage ? null : { about: 'no-front-page', suggestions };
}

async function readFacts(root: string, home: string): Promise<FolderFacts> {
  const personal = await isPersonal(root, home);
  const has = (name: string) => isFile(join(root, name));
  // Sequential, so that a drive that stops responding blocks only one thread.
  const frontPage = await has(FRONT_PAGE);
  const source = await anyHas(SOURCES, has);
  const unbuilt = await anyHas(UNBUILT, has);
  if (personal) return { personal, frontPage, source, unbuilt, builds: [], sites: [] };
  const builds = await withFrontPage(root, BUILDS);
  // With a front page, the folder is a site itself, so its subfolders are not suggested.
  const sites = frontPage ? [] : await withFrontPage(root, await foldersIn(root, BUILDS));
  return { personal, frontPage, source, unbuilt, builds, sites };
}

/** True for the home folder and its parents, the personal folders in it, and whole disks. */
async function isPersonal(root: string, home: string): Promise<boolean> {
  if (parse(root).root === root) return true;
  const realHome = await realpath(home).catch(() => home);
  if (root === realHome || realHome.startsWith(root + sep)) return true;
  if (DISKS.some(([below, depth]) => isBelow(root, below, depth))) return true;
  if (dirname(root) === realHome && PERSONAL.has(root.slice(realHome.length + 1))) return true;
  return (await namedFolders(realHome)).includes(root);
}

function isBelow(root: string, below: string, depth: number): boolean {
  return root.startsWith(`${below}/`) && root.slice(below.length + 1).split('/').length <= depth;
}

/** The personal folders that a Linux desktop lists in `user-dirs.dirs`. */
async function namedFolders(home: string): Promise<string[]> {
  const text = await readFile(join(home, '.config', 'user-dirs.dirs'), 'utf8').catch(() => '');
  return [...text.matchAll(/^XDG_\w+_DIR="\$HOME\/([^"]+?)\/?"$/gm)].map(([, name = '']) => join(home, name));
}

/** The direct subfolders, without known and hidden ones and `node_modules`. */
async function foldersIn(root: string, known: readonly string[]): Promise<string[]> {
  const names: string[] = [];
  let seen = 0;
  for await (const entry of await opendir(root)) {
    seen += 1;
    if (entry.isDirectory() && !/^[._]|^node_modules$/.test(entry.name) && !known.includes(entry.name))
      names.push(entry.name);
    if (seen === MAX_ENTRIES) break;
  }
  return names.toSorted();
}

async function withFrontPage(root: string, names: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const name of names) if (await isFile(join(root, name, FRONT_PAGE))) found.push(name);
  return found;
}

async function anyHas(names: readonly string[], has: (name: string) => Promise<boolean>): Promise<boolean> {
  for (const name of names) if (await has(name)) return true;
  return false;
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
