// Decides whether a folder may be the wrong one to publish. Also runs in a browser.

/** Why a folder may be the wrong one to publish. */
export interface FolderDoubt {
  /**
   * - `no-front-page`: the folder has no `index.html` at its root.
   * - `project`: it is the source of a site, with a `package.json` or similar, and either no front page or a build folder.
   * - `personal`: it is the home folder, the desktop, Documents, Downloads, or a whole disk.
   */
  about: 'no-front-page' | 'project' | 'personal';
  /** The relative paths of folders that the user may have meant. */
  suggestions: string[];
}

/** The facts about a folder that decide whether to ask. */
export interface FolderFacts {
  /** True for a personal or system folder, such as the home folder. */
  personal: boolean;
  /** True if the folder has an `index.html` at its root. */
  frontPage: boolean;
  /** True if a file at the root marks the source of a project, such as `package.json`. */
  source: boolean;
  /** True if the folder must be built before it can be published, even if it has an `index.html`. */
  unbuilt: boolean;
  /** The subfolders with a usual name for build output that have an `index.html`. */
  builds: readonly string[];
  /** The other direct subfolders that have an `index.html`. */
  sites: readonly string[];
}

const MAX_SUGGESTIONS = 5;
/** The front page of a site. */
export const FRONT_PAGE = 'index.html';

/** The usual names of folders with the output of a build. */
export const BUILDS = [
  'dist',
  'build',
  'out',
  'public',
  '_site',
  '.output/public',
  'www',
  'site',
  'book',
  'dist/browser',
];
/** The files that mark the source of a project. */
export const SOURCES = [
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
export const BUILD_CONFIGS = ['vite.config.js', 'vite.config.mjs', 'vite.config.ts', 'vite.config.mts'];

/** The names of personal folders in the home folder. Localized names are read from `user-dirs.dirs`. */
export const PERSONAL_FOLDER = /^(Desktop|Documents|Downloads|Pictures|Music|Movies|Videos|Library|Public)$/;
/** Decides from the facts about a folder what to ask the user. */
export function folderDoubt({ personal, frontPage, source, unbuilt, builds, sites }: FolderFacts): FolderDoubt | null {
  if (personal) return { about: 'personal', suggestions: [] };
  const suggestions = [...builds, ...sites].slice(0, MAX_SUGGESTIONS);
  if (unbuilt || (source && (!frontPage || builds.length > 0))) return { about: 'project', suggestions };
  return frontPage ? null : { about: 'no-front-page', suggestions };
}
