import { opendir, readFile, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, parse, sep } from 'node:path';
import type { FolderQuestion } from '../../shared/publishing.ts';

/** What is asked before a folder is published, and the folders in it that were likely meant. */
export interface Doubt {
  about: FolderQuestion['about'];
  /** Relative to the folder, `/`-separated. */
  suggestions: string[];
}

/** What was seen of a folder. */
export interface Facts {
  /** It is a place of a person or of the whole system, such as the home folder. */
  personal: boolean;
  /** There is an `index.html` at its root. */
  frontPage: boolean;
  /** There is a file at its root that sources have, such as `package.json`. */
  source: boolean;
  /** What is there has to be built, whatever else there is. */
  unbuilt: boolean;
  /** Folders in which builds lie, and that have an `index.html`. */
  builds: readonly string[];
  /** Other folders right below it that have an `index.html`. */
  sites: readonly string[];
}

const MOST_SUGGESTIONS = 5;
/** So many entries of a folder are looked at, however many it has. */
const MOST_ENTRIES = 200;
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
/** An `index.html` beside one of these is no page yet. */
const UNBUILT = ['vite.config.js', 'vite.config.mjs', 'vite.config.ts', 'vite.config.mts'];

/** Below the home folder. Systems in other languages name theirs in `user-dirs.dirs`. */
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
/** Where disks appear: so many names further is a disk. */
const DISKS: readonly (readonly [below: string, depth: number])[] = [
  ['/Volumes', 1],
  ['/media', 2],
  ['/run/media', 2],
  ['/mnt', 1],
];

/**
 * Says what should be asked before a folder is published; `null` when it looks like a site. It looks at a few names, never at
 * the whole tree. A folder that cannot be looked at is not doubted: publishing it says why.
 *
 * @param home The home folder. Default: that of the user.
 * Source: design of the desktop app, §8, 17.
 */
export async function inspectFolder(path: string, home: string = homedir()): Promise<Doubt | null> {
  try {
    return doubtOf(await lookAt(await realpath(path), home));
  } catch {
    return null;
  }
}

/** Decides what is asked. Pure. */
export function doubtOf({ personal, frontPage, source, unbuilt, builds, sites }: Facts): Doubt | null {
  if (personal) return { about: 'personal', suggestions: [] };
  const suggestions = [...builds, ...sites].slice(0, MOST_SUGGESTIONS);
  if (unbuilt || (source && (!frontPage || builds.length > 0))) return { about: 'project', suggestions };
  return frontPage ? null : { about: 'no-front-page', suggestions };
}

async function lookAt(root: string, home: string): Promise<Facts> {
  const personal = await isPersonal(root, home);
  const has = (name: string) => isFile(join(root, name));
  // One after the other: a drive that goes away meanwhile holds one thread.
  const frontPage = await has(FRONT_PAGE);
  const source = await some(SOURCES, has);
  const unbuilt = await some(UNBUILT, has);
  if (personal) return { personal, frontPage, source, unbuilt, builds: [], sites: [] };
  const builds = await withFrontPage(root, BUILDS);
  // The page of a site is enough: what lies below it is its own.
  const sites = frontPage ? [] : await withFrontPage(root, await foldersIn(root, BUILDS));
  return { personal, frontPage, source, unbuilt, builds, sites };
}

/** Whether it is the home folder or one that holds it, one of the great folders in it, or a whole disk. */
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

/** The great folders as a desktop on Linux names them. */
async function namedFolders(home: string): Promise<string[]> {
  const text = await readFile(join(home, '.config', 'user-dirs.dirs'), 'utf8').catch(() => '');
  return [...text.matchAll(/^XDG_\w+_DIR="\$HOME\/([^"]+?)\/?"$/gm)].map(([, name = '']) => join(home, name));
}

/** Folders right below, without those that are known and those that nobody sees. */
async function foldersIn(root: string, known: readonly string[]): Promise<string[]> {
  const names: string[] = [];
  let seen = 0;
  for await (const entry of await opendir(root)) {
    seen += 1;
    if (entry.isDirectory() && !/^[._]|^node_modules$/.test(entry.name) && !known.includes(entry.name))
      names.push(entry.name);
    if (seen === MOST_ENTRIES) break;
  }
  return names.toSorted();
}

async function withFrontPage(root: string, names: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const name of names) if (await isFile(join(root, name, FRONT_PAGE))) found.push(name);
  return found;
}

async function some(names: readonly string[], has: (name: string) => Promise<boolean>): Promise<boolean> {
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
