import type { SiteFile } from './site.ts';

const NAME_PART = /[.-]([\w-]{8,})(?=\.|$)/g;
const SIGN_OF_A_HASH = /\d|.[A-Z]/;

/** The strong entity tag of a content: equal for equal bytes, on every path, deployment and node. Source: serving S44. */
export function entityTag(file: SiteFile): string {
  return `"${file.sha256.slice(0, 32)}"`;
}

/**
 * How long a file of a public site may be kept by those who fetched it.
 *
 * @param path The path of the file, not of the request.
 * @param options.onDomain Whether it was fetched from a domain, which may have other bytes at the same path later.
 * @returns The value of `Cache-Control`. Source: serving S53, S54.
 */
export function cacheControl(path: string, { onDomain = false } = {}): string {
  const isAsset = !path.endsWith('.html');
  return !onDomain && isAsset && hasHashInName(path)
    ? 'public, max-age=31536000, immutable'
    : 'public, max-age=0, must-revalidate';
}

/** True for names such as `app.4f3a9b21.js` and `index-BX1y_Abq.css`, not for `app-component.js`. Source: serving S54. */
export function hasHashInName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  const stem = dot < 0 ? name : name.slice(0, dot);
  return stem.matchAll(NAME_PART).some(([, part]) => SIGN_OF_A_HASH.test(part!));
}
