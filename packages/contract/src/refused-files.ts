/**
 * File extensions that are never published: programs and installers of the desktop systems.
 *
 * Served as `blockedExtensions` by `GET /limits`. Source: api §3, §6.
 */
export const BLOCKED_EXTENSIONS: readonly string[] = (
  'aab apk app appimage appx appxbundle bat cab cmd com cpl deb dll dmg exe gadget hta inf ipa iso jar jse lnk msc ' +
  'msi msix msixbundle msp mst pif pkg ps1 psm1 reg rpm scr snap sys vb vbe vbs ws wsf wsh xbap xpi'
).split(' ');

const BLOCKED: ReadonlySet<string> = new Set(BLOCKED_EXTENSIONS);
const JUNK = /(?:^|\/)(?:__MACOSX\/|(?:\.DS_Store|Thumbs\.db|desktop\.ini)$)/;
const DOT_SEGMENT = /(?:^|\/)\./;
const KEY_FILES = /^id_(?:rsa|dsa|ecdsa|ed25519)$/;

/** Matches the first line of a private key in PEM form. */
export const PRIVATE_KEY_MARKER = /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----/;

/**
 * True for files that operating systems leave in folders. They are dropped silently and not counted.
 * Source: api §3.
 */
export function isJunk(path: string): boolean {
  return JUNK.test(path);
}

/**
 * Returns the reason why a file must not be published, judged by its path only.
 *
 * @param path A canonical path.
 * @returns A sentence, or `null` if the file may be published.
 */
export function refusedPath(path: string): string | null {
  const reason = privatePath(path);
  if (reason) return reason;
  const extension = extensionOf(path.slice(path.lastIndexOf('/') + 1));
  return BLOCKED.has(extension) ? `programs and installers (.${extension}) are never published` : null;
}

/**
 * Returns the reason why a file is private, such as secrets and repositories. Clients skip private files silently; the
 * other files of {@link refusedPath}, such as programs, are mistakes that they report.
 *
 * @returns A sentence, or `null` if the file is not private. Source: api §3; security T3.
 */
export function privatePath(path: string): string | null {
  const segments = path.split('/');
  const name = segments.at(-1)!;
  if (segments.includes('.git')) return 'a repository (.git/) is never published; upload only the built site';
  if (segments[0] === 'node_modules' && segments.length > 1)
    return 'node_modules/ indicates a project that is not built; upload the output folder of the build';
  if (name.startsWith('.env')) return 'environment files (.env*) contain secrets and are never published';
  return KEY_FILES.test(name) ? 'private keys are never published' : null;
}

/** True if the bytes must be searched for {@link PRIVATE_KEY_MARKER} before the file is accepted. */
export function mayHoldPrivateKey(path: string): boolean {
  return /\.(?:pem|key)$/i.test(path);
}

/**
 * True for dot files outside `.well-known/` and for paths inside dot folders. They are stored, but never served.
 */
export function isDotFile(path: string): boolean {
  return DOT_SEGMENT.test(path) && !path.startsWith('.well-known/');
}

/** The files at the root that configure serving instead of being served. Source: serving S12, S22. */
export const RULE_FILES: ReadonlySet<string> = new Set(['ship.json', '_redirects', '_headers']);

/** Server code of other hosts at the root: stored, but never served. Source: serving S12. */
export const FOREIGN_RULE_FILES: ReadonlySet<string> = new Set(['_worker.js', '_routes.json']);

/** True if a stored file is never served, whatever the request. Source: api §3; serving S12. */
export function isWithheld(path: string): boolean {
  return isDotFile(path) || RULE_FILES.has(path) || FOREIGN_RULE_FILES.has(path);
}

/** The extension as Windows sees it: trailing dots and spaces of a name are ignored. */
function extensionOf(name: string): string {
  let end = name.length;
  while (name[end - 1] === '.' || name[end - 1] === ' ') end -= 1;
  const dot = name.lastIndexOf('.', end - 1);
  return dot < 0 || end === 0 ? '' : name.slice(dot + 1, end).toLowerCase();
}
