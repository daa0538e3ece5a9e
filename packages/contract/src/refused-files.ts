/**
 * The file extensions of programs and installers, which a server refuses unless its operator sets another list. `GET /limits`
 * returns the list of the server as `blockedExtensions`. Source: api §3, §6.
 */
export const BLOCKED_EXTENSIONS: readonly string[] = (
  'aab,apk,app,appimage,appx,appxbundle,bat,cab,cmd,com,cpl,deb,dll,dmg,exe,gadget,hta,inf,ipa,iso,jar,jse,lnk,' +
  'msc,msi,msix,msixbundle,msp,mst,pif,pkg,ps1,psm1,reg,rpm,scr,snap,sys,vb,vbe,vbs,ws,wsf,wsh,xbap,xpi'
).split(',');

const BUILT_IN_EXTENSIONS: ReadonlySet<string> = new Set(BLOCKED_EXTENSIONS);
const JUNK_PATH = /(?:^|\/)(?:__MACOSX\/|(?:\.DS_Store|Thumbs\.db|desktop\.ini)$)/;
const DOT_SEGMENT = /(?:^|\/)\./;
const GIT_SEGMENT = /(?:^|\/)\.git(?:\/|$)/;
const KEY_FILES = /^id_(?:rsa|dsa|ecdsa|ed25519)$/;

/** Matches the first line of a private key in PEM form. */
export const PRIVATE_KEY_MARKER = /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----/;

/** True for a file that an operating system leaves in folders. Such files are skipped silently. Source: api §3. */
export function isJunk(path: string): boolean {
  return JUNK_PATH.test(path);
}

/**
 * Returns the reason why a canonical path prevents the publication of a file; `null` if the file may be published.
 *
 * @param blockedExtensions The refused file extensions, in lower case and without the dot.
 */
export function refusedPath(path: string, blockedExtensions: ReadonlySet<string>): string | null {
  const reason = privatePath(path);
  if (reason) return reason;
  const extension = extensionOf(path.slice(path.lastIndexOf('/') + 1));
  if (!blockedExtensions.has(extension)) return null;
  return BUILT_IN_EXTENSIONS.has(extension)
    ? `programs and installers (.${extension}) are never published`
    : `this server does not publish .${extension} files`;
}

/**
 * Returns the reason why a file is private, such as `.env` or a file in `.git`. Clients skip private files silently.
 *
 * @returns A sentence, or `null` if the file is not private. Source: api §3; security T3.
 */
export function privatePath(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (GIT_SEGMENT.test(path)) return 'a repository (.git/) is never published; upload only the built site';
  if (path.startsWith('node_modules/'))
    return 'node_modules/ indicates a project that is not built; upload the output folder of the build';
  if (name.startsWith('.env')) return 'environment files (.env*) contain secrets and are never published';
  return KEY_FILES.test(name) ? 'private keys are never published' : null;
}

/** True if the bytes of a file must be searched for {@link PRIVATE_KEY_MARKER} before the file is accepted. */
export function mayHoldPrivateKey(path: string): boolean {
  return /\.(?:pem|key)$/i.test(path);
}

/** True for a path with a dot file or a dot folder, except inside `.well-known/`. Such files are stored, but never served. */
export function isDotFile(path: string): boolean {
  return DOT_SEGMENT.test(path) && !path.startsWith('.well-known/');
}

/** The files at the root that configure serving instead of being served. Source: serving S12, S22. */
export const RULE_FILES: ReadonlySet<string> = new Set(['ship.json', '_redirects', '_headers']);

/** The files at the root that are server code for other hosts. They are stored, but never served. Source: serving S12. */
const FOREIGN_RULE_FILES: ReadonlySet<string> = new Set(['_worker.js', '_routes.json']);

/** True if a stored file is never served, whatever the request. Source: api §3; serving S12. */
export function isWithheld(path: string): boolean {
  return isDotFile(path) || RULE_FILES.has(path) || FOREIGN_RULE_FILES.has(path);
}

/** Returns the extension of a name in lower case. Ignores dots and spaces at the end of the name, as Windows does. */
function extensionOf(name: string): string {
  let nameEnd = name.length;
  while (name[nameEnd - 1] === '.' || name[nameEnd - 1] === ' ') nameEnd -= 1;
  const dot = name.lastIndexOf('.', nameEnd - 1);
  return dot < 0 || nameEnd === 0 ? '' : name.slice(dot + 1, nameEnd).toLowerCase();
}
