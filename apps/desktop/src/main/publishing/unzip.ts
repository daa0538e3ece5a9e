import { createWriteStream, openAsBlob } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { ClientError } from '@berth/client';
import { BlobReader, configure, type FileEntry, ZipReader } from '@zip.js/zip.js';
import { abortedError } from '../problem.ts';

const MAX_ENTRIES = 100_000;
const MAX_BYTES = 20 * 1024 ** 3;
/** What operating systems add to archives. */
const ADDED_BY_SYSTEM = /^__MACOSX\/|(?:^|\/)\.DS_Store$/;
const FILE_TYPE_MASK = 0o170000;
const SYMBOLIC_LINK = 0o120000;

interface ArchivedFile {
  /** The path in the site. */
  path: string;
  entry: FileEntry;
}

configure({ useWebWorkers: false });

/** True if a drop is one zip archive, which is published as the folder that it contains. */
export function isArchive(paths: readonly string[]): boolean {
  return paths.length === 1 && /\.zip$/i.test(paths[0]!);
}

/** Returns whether an archive has a front page. @throws ClientError like {@link unzip}. */
export async function hasFrontPage(path: string): Promise<boolean> {
  return (await readArchive(path)).some((file) => file.path === 'index.html');
}

/**
 * Unpacks a zip archive into an empty folder. A folder that contains everything is left out. Links and files that operating systems
 * add are skipped. Memory use does not depend on the size.
 *
 * @throws ClientError: `folder` if it is not an archive, is encrypted or damaged, or has an unsafe path; `refused` if it would unpack
 *   to too much; `aborted`.
 */
export async function unzip(path: string, folder: string, signal: AbortSignal): Promise<void> {
  for (const file of await readArchive(path)) {
    if (signal.aborted) throw abortedError();
    await unpack(file, join(folder, file.path), signal);
  }
}

/** Lists the files of an archive. The reader refuses paths that would leave the folder. */
async function readArchive(path: string): Promise<ArchivedFile[]> {
  const name = basename(path);
  const reader = new ZipReader(new BlobReader(await openAsBlob(path)), { checkOverlappingEntry: true });
  const entries = await reader.getEntries().catch((cause: Error & { filename?: string }) => {
    const { filename } = cause;
    const fault =
      filename === undefined ? 'is not a zip archive, or it is damaged' : `contains the invalid path ${filename}`;
    throw new ClientError('folder', `${name} ${fault}.`, { cause });
  });
  const files = entries.filter((entry) => !entry.directory && !isLink(entry) && !ADDED_BY_SYSTEM.test(entry.filename));
  if (files.some(({ encrypted }) => encrypted))
    throw new ClientError('folder', `${name} has a password. Unpack it, and drop the folder.`);
  const bytes = files.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
  if (files.length > MAX_ENTRIES || bytes > MAX_BYTES)
    throw new ClientError('refused', `${name} has too many files or unpacks to too many bytes. Unpack it yourself.`);
  return withoutTopFolder(files.map((entry) => ({ path: entry.filename, entry: entry as FileEntry })));
}

function isLink({ externalFileAttributes = 0 }: { externalFileAttributes?: number }): boolean {
  return ((externalFileAttributes >>> 16) & FILE_TYPE_MASK) === SYMBOLIC_LINK;
}

function withoutTopFolder(files: ArchivedFile[]): ArchivedFile[] {
  const [first] = files;
  const top = first?.path.slice(0, first.path.indexOf('/') + 1) ?? '';
  if (top === '' || !files.every(({ path }) => path.startsWith(top))) return files;
  return files.map(({ path, entry }) => ({ path: path.slice(top.length), entry }));
}

async function unpack({ path, entry }: ArchivedFile, to: string, signal: AbortSignal): Promise<void> {
  try {
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    // An archive can contain a path twice.
    const file = Writable.toWeb(createWriteStream(to, { flags: 'wx', mode: 0o600 }));
    let bytes = 0;
    const limit = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length;
        if (bytes > entry.uncompressedSize) throw new Error('The entry is larger than its directory says.');
        controller.enqueue(chunk);
      },
    });
    await Promise.all([limit.readable.pipeTo(file), entry.getData(limit.writable, { signal, checkSignature: true })]);
  } catch (cause) {
    if (signal.aborted) throw abortedError();
    if ((cause as NodeJS.ErrnoException).code === 'ENOSPC')
      throw new ClientError('folder', 'The disk is full.', { cause });
    throw new ClientError('folder', `${path}: the file in the archive is damaged.`, { file: path, cause });
  }
}
