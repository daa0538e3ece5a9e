/** The maximum length of a path, in bytes of UTF-8. Source: api §3. */
export const MAX_PATH_BYTES = 1024;

/** The maximum length of one segment of a path, in bytes of UTF-8. */
export const MAX_SEGMENT_BYTES = 255;

/** The maximum number of segments of a path, the file name included. */
export const MAX_PATH_SEGMENTS = 64;

/** The maximum length of a file name in a request, in UTF-16 units: enough for {@link MAX_PATH_BYTES} in any Unicode form. */
export const MAX_NAME_LENGTH = 4 * MAX_PATH_BYTES;

const encoder = new TextEncoder();

type PathResult = { ok: true; path: string } | { ok: false; reason: string };

/** Matches C0, DEL, C1, line and paragraph separators, bidirectional controls, zero-width marks and the byte-order mark. */
// oxlint-disable-next-line no-control-regex -- naming control characters is this pattern's purpose
export const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;
const FORBIDDEN = /[#?%<>"]/;
// Windows reads `C:x` as a path on drive C, whatever folder the path is joined to.
const DRIVE_PREFIX = /^[A-Za-z]:/;
/** Matches most paths, all of which are canonical if they are no longer than {@link MAX_PLAIN_LENGTH}. */
const PLAIN_PATH = /^\w[\w.-]*(?:\/\w[\w.-]*)*$/;
/** A plain path of this length has at most {@link MAX_PATH_SEGMENTS} segments. */
const MAX_PLAIN_LENGTH = MAX_PATH_SEGMENTS * 2;

/**
 * Converts the name of an uploaded file to its canonical form: relative, `/`-separated, NFC.
 *
 * Removes one leading `/` or `./`, and refuses any other name that is not canonical. Does not decode percent-encoding. An
 * accepted path, joined to any folder, stays inside the folder. Source: api §3; security T1.
 */
export function normalizePath(name: string): PathResult {
  if (name.length <= MAX_PLAIN_LENGTH && PLAIN_PATH.test(name)) return { ok: true, path: name };
  const refusedPath = (reason: string): PathResult => ({ ok: false, reason });
  if (name.includes('\ufffd') || !name.isWellFormed()) return refusedPath('the name must be valid UTF-8');
  if (CONTROL_CHARACTERS.test(name)) return refusedPath('a path must not contain control or direction characters');
  if (name.includes('\\')) return refusedPath('folders must be separated by "/", not by "\\"');
  const forbidden = FORBIDDEN.exec(name);
  if (forbidden) return refusedPath(`a path must not contain any of # ? % < > " (this one has ${forbidden[0]})`);

  const path = name.replace(/^\.?\//, '').normalize('NFC');
  if (path === '') return refusedPath('the path must not be empty');
  if (path.startsWith('/')) return refusedPath('the path must be relative to the site');
  if (DRIVE_PREFIX.test(path))
    return refusedPath(`a path must not begin with "${path.slice(0, 2)}", which is a drive on Windows`);
  if (isLonger(path, MAX_PATH_BYTES)) return refusedPath(`a path must have at most ${MAX_PATH_BYTES} bytes`);
  const segments = path.split('/');
  if (segments.length > MAX_PATH_SEGMENTS) return refusedPath(`a path must have at most ${MAX_PATH_SEGMENTS} segments`);
  for (const segment of segments) {
    if (segment === '') return refusedPath('a path must not have an empty segment');
    if (segment === '.' || segment === '..') return refusedPath('a path must not have a "." or ".." segment');
    if (isLonger(segment, MAX_SEGMENT_BYTES))
      return refusedPath(`a path segment must have at most ${MAX_SEGMENT_BYTES} bytes`);
  }
  return { ok: true, path };
}

/** True if a text has more than `maxBytes` bytes in UTF-8. Encodes the text only if its number of characters does not decide. */
export function isLonger(text: string, maxBytes: number): boolean {
  return text.length > maxBytes || (text.length * 3 > maxBytes && encoder.encode(text).length > maxBytes);
}

/**
 * Finds two paths that cannot both be published: two equal paths, or a file whose path is also a folder of the other path.
 * Takes time linear in the total length of the paths.
 *
 * @param paths Canonical paths, in upload order.
 * @returns The two paths and the reason, or `null`. Source: api §3; security T2.
 */
export function findPathConflict(paths: readonly string[]): { first: string; second: string; reason: string } | null {
  const files = new Set<string>();
  for (const path of paths) {
    if (files.has(path)) return { first: path, second: path, reason: 'two parts name the same file' };
    files.add(path);
  }
  if (!hasNameOfFolder(paths)) return null;
  // Sorted paths that start with the same path are adjacent, so the prefixes of the current path form a stack.
  const prefixes: string[] = [];
  const prefixLengths = new Set<number>();
  for (const path of paths.toSorted()) {
    while (prefixes.length > 0 && !path.startsWith(prefixes.at(-1)!)) prefixLengths.delete(prefixes.pop()!.length);
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1))
      if (prefixLengths.has(at))
        return { first: path.slice(0, at), second: path, reason: 'a file cannot also be a folder' };
    prefixes.push(path);
    prefixLengths.add(path.length);
  }
  return null;
}

/** Whether any file has the name of a folder, wherever they are. Only such a file can also be a folder. */
function hasNameOfFolder(paths: readonly string[]): boolean {
  const folders = new Set(paths.map((path) => path.slice(0, path.lastIndexOf('/') + 1)));
  const folderNames = new Set(Array.from(folders, (folder) => folder.split('/')).flat());
  const lengths = new Set(Array.from(folderNames, (name) => name.length));
  return paths.some((path) => {
    const nameAt = path.lastIndexOf('/') + 1;
    // The length decides about most names, and needs no copy of the name.
    return lengths.has(path.length - nameAt) && folderNames.has(path.slice(nameAt));
  });
}

/**
 * Finds paths that differ only in case. Such paths are legal, but collide on case-insensitive disks.
 *
 * @returns For each path that repeats an earlier path in another case, the path as `file` and the earlier path as `twin`.
 */
export function findCaseTwins(paths: readonly string[]): { file: string; twin: string }[] {
  if (paths.every((path) => path.toLowerCase() === path)) return [];
  const byLowerCase = new Map<string, string>();
  const caseTwins: { file: string; twin: string }[] = [];
  for (const file of paths) {
    const key = file.toLowerCase();
    const earlierPath = byLowerCase.get(key);
    if (earlierPath === undefined) byLowerCase.set(key, file);
    else caseTwins.push({ file, twin: earlierPath });
  }
  return caseTwins;
}
