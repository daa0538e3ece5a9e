import { FileRefusals, mayHoldPrivateKey } from '@berth/contract';
import { folderError, throwRefusals } from '../folder/folder-errors.ts';
import {
  createPrivateKeyFinder,
  IGNORE_FILE,
  type IgnoreRules,
  ignoreRulesOf,
  publishedPath,
  reasonToSkipName,
  refuseConflictingPaths,
} from '../folder/site-paths.ts';
import type { SkippedFile } from '../folder/snapshot.ts';
import { mapParallel } from './map-parallel.ts';

/** A file to publish: a `File`, or bytes or text with a path on the site. */
export type FileInput = File | { path: string; content: Blob | Uint8Array<ArrayBuffer> | string };

/** A folder that a person chose: the `FileSystemDirectoryHandle` of `showDirectoryPicker()` or of a drop. */
export interface DirectoryHandle {
  readonly kind: 'directory';
  readonly name: string;
  values(): AsyncIterable<{ readonly kind: 'file' | 'directory'; readonly name: string }>;
}

/** How many files of a folder are opened at once. Another process opens them, which takes longer to ask than to do. */
const OPEN_AT_ONCE = 32;

interface FileHandle {
  getFile(): Promise<File>;
}

/** A file that is published, and its bytes, which are not read yet. */
export interface FoundFile {
  path: string;
  blob: Blob;
}

/** The files of a site, and what is not published. */
export interface FileList {
  found: FoundFile[];
  skipped: SkippedFile[];
}

/** The list of files while it grows, and the files that prevent the publication. */
interface ListedFiles extends FileList {
  refusals: FileRefusals;
}

/**
 * Lists files. The path of a `File` from `<input webkitdirectory>` starts below the chosen folder.
 *
 * @throws ClientError of the kind `folder` that names the files with names that are invalid for a site and the files that must not be
 *   published, or the file whose path conflicts with the path of another file.
 */
export async function listFiles(inputs: Iterable<FileInput>): Promise<FileList> {
  const named = Array.from(inputs, (input) => ({ name: nameOf(input), blob: blobOf(input) }));
  const ignored = await readRules(named.find(({ name }) => name === IGNORE_FILE)?.blob);
  const list = emptyList();
  for (const { name, blob } of named) if (!isSkipped(list, name, ignored)) await addFile(list, name, blob);
  return checked(list);
}

/** Lists the files of a folder. Does not read skipped subfolders. @throws ClientError, as {@link listFiles} does. */
export async function listDirectory(root: DirectoryHandle, signal: AbortSignal): Promise<FileList> {
  const list = emptyList();
  const ignored = await readRules(await findIgnoreFile(root));
  const entries: { name: string; handle: object }[] = [];
  const folders = [{ path: '', handle: root }];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for await (const entry of folder.handle.values()) {
      signal.throwIfAborted();
      const name = folder.path + entry.name + (entry.kind === 'file' ? '' : '/');
      if (isSkipped(list, name, ignored)) continue;
      if (entry.kind === 'file') entries.push({ name, handle: entry });
      else folders.push({ path: name, handle: entry as DirectoryHandle });
    }
  }
  const blobs = await mapParallel(entries, OPEN_AT_ONCE, ({ name, handle }) => {
    signal.throwIfAborted();
    return openFile(name, handle);
  });
  for (const [i, { name }] of entries.entries()) await addFile(list, name, blobs[i]!);
  return checked(list);
}

async function findIgnoreFile(root: DirectoryHandle): Promise<Blob | undefined> {
  for await (const entry of root.values())
    if (entry.kind === 'file' && entry.name === IGNORE_FILE) return openFile(IGNORE_FILE, entry);
  return undefined;
}

async function openFile(name: string, handle: object): Promise<File> {
  try {
    return await (handle as FileHandle).getFile();
  } catch (cause) {
    throw folderError(name, 'the file cannot be read', cause);
  }
}

async function readRules(file: Blob | undefined): Promise<IgnoreRules> {
  return ignoreRulesOf(file === undefined ? null : await file.text());
}

function nameOf(input: FileInput): string {
  if ('path' in input && 'content' in input) return input.path;
  const { name, webkitRelativePath } = input as File & { webkitRelativePath?: string };
  return webkitRelativePath ? webkitRelativePath.slice(webkitRelativePath.indexOf('/') + 1) : name;
}

function blobOf(input: FileInput): Blob {
  if (input instanceof Blob) return input;
  return input.content instanceof Blob ? input.content : new Blob([input.content]);
}

function isSkipped({ skipped }: ListedFiles, path: string, ignored: IgnoreRules): boolean {
  const reason = reasonToSkipName(path, ignored);
  if (reason) skipped.push({ path, reason });
  return Boolean(reason);
}

/** Adds a file whose name is not skipped. */
async function addFile({ found, skipped, refusals }: ListedFiles, name: string, blob: Blob): Promise<void> {
  const path = publishedPath(name, refusals);
  if (path === null) return;
  if (await holdsPrivateKey(path, blob)) skipped.push({ path, reason: 'private' });
  else found.push({ path, blob });
}

async function holdsPrivateKey(path: string, blob: Blob): Promise<boolean> {
  if (!mayHoldPrivateKey(path)) return false;
  const findPrivateKey = createPrivateKeyFinder(path);
  for await (const piece of piecesOf(blob))
    if (findPrivateKey(() => new TextDecoder('latin1').decode(piece))) return true;
  return false;
}

function emptyList(): ListedFiles {
  return { found: [], skipped: [], refusals: new FileRefusals() };
}

function checked({ found, skipped, refusals }: ListedFiles): FileList {
  throwRefusals(refusals);
  refuseConflictingPaths(found.map(({ path }) => path));
  return { found, skipped };
}

/** Reads a file piece by piece. Not all browsers can iterate over a stream. */
export async function* piecesOf(blob: Blob): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = blob.stream().getReader();
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) yield step.value;
  } finally {
    await reader.cancel();
  }
}
