import type { FolderFile } from '../folder/snapshot.ts';
import type { Changes } from './events.ts';
import type { ComparedDeployment } from './live-files.ts';

/** The changes of a folder, and its added and changed files (`put`). */
export type Difference = { changes: Changes; put: readonly FolderFile[] };

/** Compares files with the last deployment. If the last deployment is unknown, all files count as added. */
export function compareWithLastDeployment(
  lastDeployment: ComparedDeployment | null,
  files: readonly FolderFile[],
): Difference {
  const hashesBefore = lastDeployment?.files ?? new Map<string, string>();
  const addedPaths: string[] = [];
  const changedPaths: string[] = [];
  const filesToPut: FolderFile[] = [];
  for (const file of files) {
    const sha256 = hashesBefore.get(file.path);
    if (sha256 === file.sha256) continue;
    filesToPut.push(file);
    (sha256 === undefined ? addedPaths : changedPaths).push(file.path);
  }
  const isAnyRemoved = files.length - addedPaths.length < hashesBefore.size;
  const removedPaths = isAnyRemoved ? pathsWithout(hashesBefore.keys(), files) : [];
  return {
    changes: {
      added: addedPaths,
      changed: changedPaths,
      removed: removedPaths,
      unchanged: files.length - filesToPut.length,
    },
    put: filesToPut,
  };
}

function pathsWithout(paths: Iterable<string>, files: readonly FolderFile[]): string[] {
  const currentPaths = new Set(files.map(({ path }) => path));
  return [...paths].filter((path) => !currentPaths.has(path));
}
