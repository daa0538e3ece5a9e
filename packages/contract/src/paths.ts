/** The longest path of a file, in bytes of UTF-8. Source: contract §3. */
export const MAX_PATH_BYTES = 1024;

/** The longest segment of a path, in bytes of UTF-8. Source: contract §3. */
export const MAX_SEGMENT_BYTES = 255;

const encoder = new TextEncoder();

/** A path in canonical form, or the reason why there is none. */
export type PathResult = { ok: true; path: string } | { ok: false; reason: string };

// C0, DEL, C1, line and paragraph separators, bidirectional controls, zero-width marks and the byte-order mark.
// oxlint-disable-next-line no-control-regex -- naming control characters is this pattern's purpose
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;
const FORBIDDEN = /[#?%<>"]/;
// Windows reads `C:x` as a path of that drive, not of the folder it is joined to.
const DRIVE = /^[A-Za-z]:/;

/**
 * Brings the name of an uploaded file to its canonical form: relative, `/`-separated, NFC.
 *
 * One leading `/` or `./` is stripped; everything else that is wrong is refused, never repaired. Percent-encoding is not
 * decoded. An accepted path, joined to any folder, stays inside that folder.
 *
 * Source: contract §3; security T1.
 */
export function normalizePath(name: string): PathResult {
  const refuse = (reason: string): PathResult => ({ ok: false, reason });
  if (name.includes('\ufffd') || !name.isWellFormed()) return refuse('the name is not valid UTF-8');
  if (CONTROL.test(name)) return refuse('a path holds no control or direction characters');
  if (name.includes('\\')) return refuse('folders are separated by "/", not by "\\"');
  const forbidden = FORBIDDEN.exec(name);
  if (forbidden) return refuse(`a path holds none of # ? % < > " (this one has ${forbidden[0]})`);

  const path = name.replace(/^\.?\//, '').normalize('NFC');
  if (path === '') return refuse('the path is empty');
  if (path.startsWith('/') || DRIVE.test(path)) return refuse('the path has to be relative to the site');
  if (isLonger(path, MAX_PATH_BYTES)) return refuse(`a path has at most ${MAX_PATH_BYTES} bytes`);
  for (const segment of path.split('/')) {
    if (segment === '') return refuse('a path has no empty segment');
    if (segment === '.' || segment === '..') return refuse('a path has no "." or ".." segment');
    if (isLonger(segment, MAX_SEGMENT_BYTES)) return refuse(`a path segment has at most ${MAX_SEGMENT_BYTES} bytes`);
  }
  return { ok: true, path };
}

/** Length in bytes of UTF-8. */
export function utf8Length(text: string): number {
  return encoder.encode(text).length;
}

/** Whether a text has more bytes in UTF-8 than allowed; most texts are too short to need counting. */
function isLonger(text: string, maxBytes: number): boolean {
  return text.length * 3 > maxBytes && utf8Length(text) > maxBytes;
}

/** The folders a file lies in, nearest first: `a/b/c.html` gives `a/b`, `a`. */
export function parentFolders(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) folders.push(path.slice(0, at));
  return folders;
}

/**
 * Finds two paths that cannot stand side by side: the same one twice, or one that is another's folder.
 *
 * @param paths Canonical paths, in upload order.
 * @returns The pair in conflict and why, or `null`.
 * Source: contract §3; security T2.
 */
export function findPathConflict(paths: readonly string[]): { first: string; second: string; reason: string } | null {
  const files = new Set<string>();
  for (const path of paths) {
    if (files.has(path)) return { first: path, second: path, reason: 'two parts name the same file' };
    files.add(path);
  }
  const clear = new Set<string>();
  for (const path of paths) {
    for (const folder of parentFolders(path)) {
      if (clear.has(folder)) break;
      if (files.has(folder)) return { first: folder, second: path, reason: 'a file cannot also be a folder' };
      clear.add(folder);
    }
  }
  return null;
}

/**
 * Finds names that differ by case alone. They are legal, but collide on many disks.
 *
 * @returns For each such file after the first, the pair. Source: contract §3.
 */
export function findCaseTwins(paths: readonly string[]): { file: string; twin: string }[] {
  const seen = new Map<string, string>();
  const twins: { file: string; twin: string }[] = [];
  for (const file of paths) {
    const key = file.toLowerCase();
    const twin = seen.get(key);
    if (twin === undefined) seen.set(key, file);
    else twins.push({ file, twin });
  }
  return twins;
}
