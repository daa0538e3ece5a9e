import { isWithheld } from '@berth/contract';
import { isSystemPath } from './request-path.ts';
import type { SiteRules } from './rules/rules.ts';
import type { Manifest, SiteFile } from './site.ts';

// The page forms, by whether they are the index page of a folder.
const INDEX_FIRST = [true, false] as const;
const PAGE_FIRST = [false, true] as const;

/** The files of a site, and how its pages are addressed. */
export interface AddressedFiles {
  manifest: Manifest;
  rules: Pick<SiteRules, 'cleanUrls' | 'trailingSlash'>;
}

/** A file that a path names. */
export interface Located {
  path: string;
  file: SiteFile;
  /** The path it is to be asked for by: another one than was asked for when that is not canonical. */
  address: string;
}

/** True for the path of a page, as opposed to an asset. */
export function isPage(path: string): boolean {
  return path.endsWith('.html');
}

/** True for what is never answered, whatever files and rules there are. Source: serving S6, S12. */
export function isOffLimits(path: string): boolean {
  return isWithheld(path) || isSystemPath(path);
}

/** The file of a path, unless it is off limits. */
export function findFile(path: string, manifest: Manifest): SiteFile | undefined {
  const file = manifest.get(path);
  return file && !isOffLimits(path) ? file : undefined;
}

/**
 * Finds what a path names: the exact file, then the page forms in the order the settings give them.
 *
 * @param path As `RequestPath` has it.
 * Source: serving S14 to S17, S19, S20.
 */
export function locate(path: string, { manifest, rules }: AddressedFiles): Located | null {
  if (isOffLimits(path)) return null;
  const exact = manifest.get(path);
  if (exact) {
    const hasCleanAddress = rules.cleanUrls && isPage(path) && !path.endsWith('/.html');
    return {
      path,
      file: exact,
      address: hasCleanAddress ? addressOf(path, isIndexPage(path), rules.trailingSlash) : path,
    };
  }

  const isFolder = path === '' || path.endsWith('/');
  const name = isFolder ? path.slice(0, -1) : path;
  const indexFirst = rules.trailingSlash ?? isFolder;
  for (const isIndex of indexFirst ? INDEX_FIRST : PAGE_FIRST) {
    const form = isIndex ? indexOf(name) : `${name}.html`;
    const file = findFile(form, manifest);
    if (!file) continue;
    const ofFolder = isIndex || (rules.cleanUrls && isIndexPage(form));
    return { path: form, file, address: addressOf(form, ofFolder, rules.trailingSlash) };
  }
  return null;
}

/** The address of a page without its extension; of the index page of a folder, that of the folder. */
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
