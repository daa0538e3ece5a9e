import type { FolderFile } from '@berth/client';

/** The difference between the files of a folder and those of a deployment. Each list is sorted by path. */
export interface Difference {
  added: readonly FolderFile[];
  changed: readonly ChangedFile[];
  removed: readonly FolderFile[];
  /** The number of equal files. */
  unchanged: number;
}

interface ChangedFile {
  before: FolderFile;
  after: FolderFile;
}

/** Compares the files of a deployment (`before`) with the files of a folder (`after`). Both are sorted by path. */
export function compareFiles(before: readonly FolderFile[], after: readonly FolderFile[]): Difference {
  const beforeByPath = new Map(before.map((file) => [file.path, file]));
  const added: FolderFile[] = [];
  const changed: ChangedFile[] = [];
  for (const file of after) {
    const old = beforeByPath.get(file.path);
    beforeByPath.delete(file.path);
    if (old === undefined) added.push(file);
    else if (old.sha256 !== file.sha256) changed.push({ before: old, after: file });
  }
  return {
    added,
    changed,
    removed: [...beforeByPath.values()],
    unchanged: after.length - added.length - changed.length,
  };
}
