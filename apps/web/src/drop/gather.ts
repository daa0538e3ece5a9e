import type { ListedFile } from './messages.ts';
import { nextTask } from './next-task.ts';

/** How many files are sent to the worker at once. The browser handles each file of a message in turn, so a larger message blocks the page. */
const FILES_PER_MESSAGE = 100;
/** How many files of a dropped folder are listed before the page can render again. */
const FILES_PER_TURN = 50;

/** Matches what changes how a line is displayed: control characters, and those that set the direction of text. */
const CONTROL = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** What a person dropped, chose or pasted. */
export interface Gathered {
  /** The name that people see. It has no control characters. */
  name: string;
  kind: 'folder' | 'files';
  origin: { kind: 'directory'; handle: FileSystemDirectoryHandle } | { kind: 'zip'; file: File } | { kind: 'list' };
  /** The files of a list, in small groups. */
  files?: AsyncIterable<ListedFile[]>;
}

/** An item of a drop in browsers that have handles. */
interface HandleItem {
  getAsFileSystemHandle(): Promise<FileSystemHandle | null>;
}

/**
 * Returns what was dropped. Call it synchronously in the event handler: its items are gone afterwards.
 *
 * With a handle, the worker reads the folder, and a later page can continue the upload. Entries are used in browsers without handles,
 * and for folders that the browser gives no handle for, such as Downloads.
 */
export async function gatherDrop(transfer: DataTransfer): Promise<Gathered | null> {
  const items = [...transfer.items].filter(({ kind }) => kind === 'file');
  const entries = items.flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (!('getAsFileSystemHandle' in DataTransferItem.prototype)) return gatherEntries(entries);
  const handles = (items as unknown as HandleItem[]).map((item) => item.getAsFileSystemHandle());
  return gatherHandles(handles).catch(() => gatherEntries(entries));
}

/** Returns the files that were chosen in a dialog or pasted. Those of a folder have a path. */
export function gatherFiles(files: readonly File[]): Gathered | null {
  const [first] = files;
  if (!first) return null;
  const folder = first.webkitRelativePath.split('/', 1)[0];
  if (!folder && files.length === 1 && isZip(first)) return zip(first);
  return {
    name: nameOf(folder ? [folder] : files.map(({ name }) => name)),
    kind: folder ? 'folder' : 'files',
    origin: { kind: 'list' },
    files: inGroups(files.map((file) => ({ path: file.webkitRelativePath || file.name, file }))),
  };
}

async function gatherHandles(pending: readonly Promise<FileSystemHandle | null>[]): Promise<Gathered | null> {
  const handles = (await Promise.all(pending)).filter((handle) => handle !== null);
  const [first] = handles;
  if (!first) return null;
  if (handles.length === 1 && isDirectory(first))
    return { name: nameOf([first.name]), kind: 'folder', origin: { kind: 'directory', handle: first } };
  if (handles.length === 1 && isFile(first)) return gatherFiles([await first.getFile()]);
  return {
    name: nameOf(handles.map(({ name }) => name)),
    kind: 'files',
    origin: { kind: 'list' },
    files: inTurns(walkHandles(handles)),
  };
}

async function gatherEntries(entries: readonly FileSystemEntry[]): Promise<Gathered | null> {
  const [first] = entries;
  if (!first) return null;
  const isFolder = entries.length === 1 && first.isDirectory;
  if (entries.length === 1 && first.isFile) return gatherFiles([await openEntry(first as FileSystemFileEntry)]);
  return {
    name: nameOf(entries.map(({ name }) => name)),
    kind: isFolder ? 'folder' : 'files',
    origin: { kind: 'list' },
    files: inTurns(walkEntries(entries)),
  };
}

async function* walkHandles(handles: readonly FileSystemHandle[], folder = ''): AsyncGenerator<ListedFile> {
  for (const handle of handles) {
    const path = folder + handle.name;
    if (isFile(handle)) yield { path, file: await handle.getFile() };
    else if (isDirectory(handle)) yield* walkHandles(await Array.fromAsync(handle.values()), `${path}/`);
  }
}

async function* walkEntries(entries: readonly FileSystemEntry[], folder = ''): AsyncGenerator<ListedFile> {
  for (const entry of entries) {
    const path = folder + entry.name;
    if (entry.isFile) yield { path, file: await openEntry(entry as FileSystemFileEntry) };
    else for await (const page of readFolder(entry as FileSystemDirectoryEntry)) yield* walkEntries(page, `${path}/`);
  }
}

/** Reads the entries of a folder, which the browser returns at most 100 at a time. */
async function* readFolder(folder: FileSystemDirectoryEntry): AsyncGenerator<FileSystemEntry[]> {
  const reader = folder.createReader();
  for (;;) {
    const page = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (page.length === 0) return;
    yield page;
  }
}

function openEntry(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** Groups files, and lets the page render between the groups. */
async function* inTurns(files: AsyncIterable<ListedFile>): AsyncGenerator<ListedFile[]> {
  let group: ListedFile[] = [];
  for await (const file of files) {
    group.push(file);
    if (group.length < FILES_PER_TURN) continue;
    yield group;
    group = [];
    await nextTask();
  }
  if (group.length > 0) yield group;
}

async function* inGroups(files: readonly ListedFile[]): AsyncGenerator<ListedFile[]> {
  for (let at = 0; at < files.length; at += FILES_PER_MESSAGE) {
    yield files.slice(at, at + FILES_PER_MESSAGE);
    await nextTask();
  }
}

function zip(file: File): Gathered {
  return { name: nameOf([file.name]), kind: 'files', origin: { kind: 'zip', file } };
}

function isZip({ name, type }: File): boolean {
  return /\.zip$/i.test(name) || type === 'application/zip';
}

function nameOf(names: readonly string[]): string {
  return names.length === 1 ? names[0]!.replaceAll(CONTROL, '') : `${names.length.toLocaleString('en-US')} files`;
}

function isDirectory(handle: FileSystemHandle): handle is FileSystemDirectoryHandle {
  return handle.kind === 'directory';
}

function isFile(handle: FileSystemHandle): handle is FileSystemFileHandle {
  return handle.kind === 'file';
}
