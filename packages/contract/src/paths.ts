/** The maximum length of a path, in bytes of UTF-8. Source: api §3. */
export const MAX_PATH_BYTES = 1024;

/** The maximum length of one segment of a path, in bytes of UTF-8. */
export const MAX_SEGMENT_BYTES = 255;

/** The maximum number of segments of a path, the file name included. */
export const MAX_PATH_SEGMENTS = 64;

/** The maximum length of a name in an input, in UTF-16 units: enough for {@link MAX_PATH_BYTES} in any Unicode form. */
export const MAX_NAME_LENGTH = 4 * MAX_PATH_BYTES;

const encoder = new TextEncoder();

/** A path in canonical form, or the reason why the name is invalid. */
export type PathResult = { ok: true; path: string } | { ok: false; reason: string };

// C0, DEL, C1, line and paragraph separators, bidirectional controls, zero-width marks and the byte-order mark.
// oxlint-disable-next-line no-control-regex -- naming control characters is this pattern's purpose
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;
const FORBIDDEN = /[#?%<>"]/;
// Windows reads `C:x` as a path on that drive and ignores the folder it is joined to.
const DRIVE = /^[A-Za-z]:/;

/**
 * Converts the name of an uploaded file to its canonical form: relative, `/`-separated, NFC.
 *
 * One leading `/` or `./` is stripped. Any other deviation is refused, never repaired. Percent-encoding is not decoded.
 * An accepted path, joined to any folder, stays inside that folder.
 *
 * Source: api §3; security T1.
 */
export function normalizePath(name: string): PathResult {
  const refuse = (reason: string): PathResult => ({ ok: false, reason });
  if (name.includes('\ufffd') || !name.isWellFormed()) return refuse('the name must be valid UTF-8');
  if (CONTROL.test(name)) return refuse('a path must not contain control or direction characters');
  if (name.includes('\\')) return refuse('folders must be separated by "/", not by "\\"');
  const forbidden = FORBIDDEN.exec(name);
  if (forbidden) return refuse(`a path must not contain any of # ? % < > " (this one has ${forbidden[0]})`);

  const path = name.replace(/^\.?\//, '').normalize('NFC');
  if (path === '') return refuse('the path must not be empty');
  if (path.startsWith('/') || DRIVE.test(path)) return refuse('the path must be relative to the site');
  if (isLonger(path, MAX_PATH_BYTES)) return refuse(`a path must have at most ${MAX_PATH_BYTES} bytes`);
  const segments = path.split('/');
  if (segments.length > MAX_PATH_SEGMENTS) return refuse(`a path must have at most ${MAX_PATH_SEGMENTS} segments`);
  for (const segment of segments) {
    if (segment === '') return refuse('a path must not have an empty segment');
    if (segment === '.' || segment === '..') return refuse('a path must not have a "." or ".." segment');
    if (isLonger(segment, MAX_SEGMENT_BYTES))
      return refuse(`a path segment must have at most ${MAX_SEGMENT_BYTES} bytes`);
  }
  return { ok: true, path };
}

/** The length of a text, in bytes of UTF-8. */
export function utf8Length(text: string): number {
  return encoder.encode(text).length;
}

/** True if a text has more than `maxBytes` bytes in UTF-8. Avoids counting when the length in UTF-16 already decides. */
export function isLonger(text: string, maxBytes: number): boolean {
  return text.length > maxBytes || (text.length * 3 > maxBytes && utf8Length(text) > maxBytes);
}

/**
 * Finds two paths that cannot both be published: duplicates, or a file whose path is also a folder of the other.
 *
 * The time grows with the total length of the paths, however deep they are.
 *
 * @param paths Canonical paths, in upload order.
 * @returns The two paths and the reason, or `null`.
 * Source: api §3; security T2.
 */
export function findPathConflict(paths: readonly string[]): { first: string; second: string; reason: string } | null {
  const files = new Set<string>();
  for (const path of paths) {
    if (files.has(path)) return { first: path, second: path, reason: 'two parts name the same file' };
    files.add(path);
  }
  // In sorted order, all paths that start with a path follow it directly, so the prefixes of the current path form a
  // stack.
  const beginnings: string[] = [];
  const lengths = new Set<number>();
  for (const path of paths.toSorted()) {
    while (beginnings.length > 0 && !path.startsWith(beginnings.at(-1)!)) lengths.delete(beginnings.pop()!.length);
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1))
      if (lengths.has(at)) return { first: path.slice(0, at), second: path, reason: 'a file cannot also be a folder' };
    beginnings.push(path);
    lengths.add(path.length);
  }
  return null;
}

/**
 * Finds names that differ only in case. They are legal, but collide on case-insensitive disks.
 *
 * @returns One pair for each such file after the first.
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
