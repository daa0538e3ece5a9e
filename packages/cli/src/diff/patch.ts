import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FolderFile, ReadFolder } from '@berth/client';
import { createTwoFilesPatch } from 'diff';
import { requestSite } from '../site-request.ts';
import type { Line } from '../terminal.ts';

/** The maximum size of a file whose text is compared, in bytes. */
const MAX_PATCH_BYTES = 512 * 1024;
/** The time limit for the comparison of one file, in milliseconds. */
const MAX_COMPARE_MS = 2_000;

/** The two versions of a file; `null` for a version that does not exist. */
export interface FileChange {
  before: FolderFile | null;
  after: FolderFile | null;
}

/**
 * Returns the lines that show how the text of a file differs, as a unified diff. One line says why if the text cannot be shown.
 *
 * @param siteUrl The address of the deployment, from which the text before is read.
 */
export async function patchFile(
  { before, after }: FileChange,
  siteUrl: string,
  folder: ReadFolder,
  signal: AbortSignal,
): Promise<Line[]> {
  const { path } = (before ?? after)!;
  const withoutText = (reason: string): Line[] => [[{ colour: 'dim', text: `# ${path}: ${reason}` }]];
  if (Math.max(before?.size ?? 0, after?.size ?? 0) > MAX_PATCH_BYTES)
    return withoutText('too large to compare as text');
  const oldBytes = before === null ? Buffer.alloc(0) : await readPublished(before, siteUrl, signal);
  if (oldBytes === null) return withoutText('the site does not serve this file as it was published');
  const newBytes = after === null ? Buffer.alloc(0) : await readFile(locationOf(after, folder));
  if (!isText(oldBytes) || !isText(newBytes)) return withoutText('not a text file');
  const names = [before === null ? '/dev/null' : `a/${path}`, after === null ? '/dev/null' : `b/${path}`] as const;
  const patch = createTwoFilesPatch(...names, oldBytes.toString(), newBytes.toString(), undefined, undefined, {
    context: 3,
    timeout: MAX_COMPARE_MS,
  });
  if (patch === undefined) return withoutText('too many changes to compare as text');
  return patch.trimEnd().split('\n').slice(1).map(colourLine);
}

function locationOf({ path }: FolderFile, { root, diskNames }: ReadFolder): string {
  return join(root, diskNames.get(path) ?? path);
}

function isText(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}

/**
 * Reads a file of a deployment from its site.
 *
 * @returns `null` if the site does not serve exactly the published bytes: because of a password, a rule or a take-down.
 */
async function readPublished({ path, size, sha256 }: FolderFile, siteUrl: string, signal: AbortSignal) {
  for (const address of addressesOf(path, siteUrl)) {
    const { status, body } = await requestSite(address, signal, size);
    if (status === 200 && body !== null && hash('sha256', body) === sha256) return body;
  }
  return null;
}

/** Returns the addresses at which a site may serve a file: its path, and the shorter addresses of a page. */
function addressesOf(path: string, siteUrl: string): URL[] {
  const paths = new Set([path, path.replace(/(^|\/)index\.html$/, '$1'), path.replace(/\.html$/, '')]);
  return [...paths].map((each) => new URL(`/${each.split('/').map(encodeURIComponent).join('/')}`, siteUrl));
}

function colourLine(text: string): Line {
  if (/^(?:---|\+\+\+) /.test(text)) return text;
  const colour = text.startsWith('+') ? 'green' : text.startsWith('-') ? 'red' : text.startsWith('@@') ? 'cyan' : null;
  return colour === null ? text : [{ colour, text }];
}
