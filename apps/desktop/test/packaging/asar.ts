import { readFile } from 'node:fs/promises';

/** A file of an archive, and the file's checksum in the archive's header. */
export interface ArchivedFile {
  content: Buffer;
  sha256: string;
}

interface Entry {
  files?: Record<string, Entry>;
  offset?: string;
  size?: number;
  integrity?: { hash: string };
}

/** Reads an Electron archive. @returns The files of the archive, by path. */
export async function readAsar(path: string): Promise<Map<string, ArchivedFile>> {
  const archive = await readFile(path);
  // The archive begins with four 32-bit numbers: the constant 4, and the size of the header with two length fields, with one, and with none.
  const start = 8 + archive.readUInt32LE(4);
  const header = JSON.parse(archive.toString('utf8', 16, 16 + archive.readUInt32LE(12))) as Entry;
  const archivedFiles = new Map<string, ArchivedFile>();
  const addFolder = ({ files = {} }: Entry, folder: string) => {
    for (const [name, entry] of Object.entries(files)) {
      if (entry.files !== undefined) addFolder(entry, `${folder}${name}/`);
      else {
        const offset = start + Number(entry.offset);
        const content = archive.subarray(offset, offset + entry.size!);
        archivedFiles.set(`${folder}${name}`, { content, sha256: entry.integrity?.hash ?? '' });
      }
    }
  };
  addFolder(header, '');
  return archivedFiles;
}
