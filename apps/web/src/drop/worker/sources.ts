import { type FileList, listDirectory, listFiles } from '@berth/client/browser/upload';

/** The files of a drop, before they are read. */
export interface Source {
  /** Whether there is a file at a path. */
  has(path: string): Promise<boolean>;
  /** The names of folders at the root. A directory returns those among its first {@link MAX_ENTRIES} entries. */
  folders(): Promise<string[]>;
  /** The files of a folder inside this one. */
  within(folder: string): Promise<Source>;
  /** Lists the files to publish. @throws ClientError of the kind `folder`. */
  list(signal: AbortSignal): Promise<FileList>;
  /** The handle with which a later page can read the folder again. */
  handle?: FileSystemDirectoryHandle;
}

/** How many entries at the root of a folder are read to suggest folders. */
const MAX_ENTRIES = 200;

/** The files of a folder, which are found while it is listed. */
export function directorySource(handle: FileSystemDirectoryHandle): Source {
  const open = async (folders: readonly string[]) => {
    let directory = handle;
    for (const name of folders) directory = await directory.getDirectoryHandle(name);
    return directory;
  };
  return {
    handle,
    async has(path) {
      const folders = path.split('/');
      const name = folders.pop()!;
      try {
        await (await open(folders)).getFileHandle(name);
        return true;
      } catch {
        return false;
      }
    },
    async folders() {
      const names: string[] = [];
      let count = 0;
      for await (const [name, entry] of handle.entries()) {
        if (entry.kind === 'directory') names.push(name);
        if (++count === MAX_ENTRIES) break;
      }
      return names.toSorted();
    },
    within: async (folder) => directorySource(await open(folder.split('/'))),
    list: (signal) => listDirectory(handle, signal),
  };
}

/** A file of a {@link filesSource}, whose content is opened when the files are listed. */
export interface NamedFile {
  path: string;
  open(signal: AbortSignal): Blob | Promise<Blob>;
}

/** Files that are known by their paths. A single HTML file becomes the front page. */
export function filesSource(files: readonly NamedFile[]): Source {
  const [onlyFile] = files;
  if (files.length === 1 && onlyFile && /^[^/]+\.html?$/i.test(onlyFile.path))
    return namedSource([{ ...onlyFile, path: 'index.html' }]);
  return namedSource(withoutTopFolder(files));
}

function namedSource(files: readonly NamedFile[]): Source {
  const paths = new Set(files.map(({ path }) => path));
  return {
    has: async (path) => paths.has(path),
    folders: async () => [...new Set([...paths].filter((path) => path.includes('/')).map(firstPart))].toSorted(),
    within: async (folder) => namedSource(below(files, `${folder}/`)),
    async list(signal) {
      const opened: { path: string; content: Blob }[] = [];
      for (const { path, open } of files) {
        signal.throwIfAborted();
        opened.push({ path, content: await open(signal) });
      }
      return listFiles(opened);
    },
  };
}

/** Removes a folder that contains everything, as in most archives. What operating systems add does not count. */
function withoutTopFolder(files: readonly NamedFile[]): readonly NamedFile[] {
  const own = files.filter(({ path }) => !path.startsWith('__MACOSX/') && !path.endsWith('.DS_Store'));
  const [top] = new Set(own.map(({ path }) => firstPart(path)));
  if (top === undefined || !own.every(({ path }) => path.startsWith(`${top}/`))) return files;
  return below(own, `${top}/`);
}

function below(files: readonly NamedFile[], folder: string): NamedFile[] {
  return files
    .filter(({ path }) => path.startsWith(folder))
    .map((file) => ({ ...file, path: file.path.slice(folder.length) }));
}

function firstPart(path: string): string {
  return path.split('/', 1)[0]!;
}
