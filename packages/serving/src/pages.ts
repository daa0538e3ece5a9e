import { isWithheld } from '@berth/contract';
import { isSystemPath } from './request-path.ts';
import type { SiteRules } from './rules/rules.ts';
import type { FilePaths } from './site.ts';

// The orders in which page forms are tried; `true` stands for the index page of a folder.
const INDEX_FIRST = [true, false] as const;
const PAGE_FIRST = [false, true] as const;

/** The files of a site, and the settings for the addresses of its pages. */
interface AddressedFiles {
  manifest: FilePaths;
  rules: Pick<SiteRules, 'cleanUrls' | 'trailingSlash'>;
}

/** A file that was found for a requested path. */
export interface Located {
  path: string;
  /** The canonical path of the file. A request for another path is redirected to the canonical path. */
  address: string;
}

/** Whether a path is that of a page rather than an asset. */
export function isPage(path: string): boolean {
  return path.endsWith('.html');
}

/** Whether a path is never served, whatever files and rules exist. Source: serving S6, S12. */
export function isOffLimits(path: string): boolean {
  return isWithheld(path) || isSystemPath(path);
}

/** Whether there is a file at a path, and the path may be served. */
export function hasFile(path: string, manifest: FilePaths): boolean {
  return manifest.has(path) && !isOffLimits(path);
}

/**
 * Finds the file for a path in the format of `RequestPath.path`: first the exact file, then the page forms in the order that
 * the settings define. Source: serving S14 to S17, S19, S20.
 */
export function locateFile(path: string, { manifest, rules }: AddressedFiles): Located | null {
  if (isOffLimits(path)) return null;
  if (manifest.has(path)) {
    const hasCleanAddress = rules.cleanUrls && isPage(path) && !path.endsWith('/.html');
    const address = hasCleanAddress ? addressOf(path, isIndexPage(path), rules.trailingSlash) : path;
    return { path, address };
  }

  const isFolder = path === '' || path.endsWith('/');
  const name = isFolder ? path.slice(0, -1) : path;
  const indexFirst = rules.trailingSlash ?? isFolder;
  for (const isIndex of indexFirst ? INDEX_FIRST : PAGE_FIRST) {
    const form = isIndex ? indexOf(name) : `${name}.html`;
    if (!hasFile(form, manifest)) continue;
    const ofFolder = isIndex || (rules.cleanUrls && isIndexPage(form));
    return { path: form, address: addressOf(form, ofFolder, rules.trailingSlash) };
  }
  return null;
}

/** Returns the address of a page: its path without the extension, or the path of its folder for an index page. */
function addressOf(page: string, ofFolder: boolean, trailingSlash: boolean | null): string {
  const name = page.slice(0, ofFolder ? -'/index.html'.length : -'.html'.length);
  return name !== '' && (trailingSlash ?? ofFolder) ? `${name}/` : name;
}

function indexOf(folder: string): string {
  return folder === '' ? 'index.html' : `${folder}/index.html`;
}

function isIndexPage(path: string): boolean {
  return path === 'index.html' || path.endsWith('/index.html');
}
