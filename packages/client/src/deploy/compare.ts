import type { LastDeployment } from '../folder/last-deployment.ts';
import type { FolderFile } from '../folder/snapshot.ts';
import type { Changes } from './events.ts';

/** The changes of a folder, and its added and changed files (`put`). */
export type Difference = { changes: Changes; put: readonly FolderFile[] };

/** Compares files with the last deployment. If the last deployment is unknown, all files count as added. */
export function compareWithLastDeployment(
  lastDeployment: LastDeployment | null,
  files: readonly FolderFile[],
): Difference {
  const hashesBefore = lastDeployment?.files ?? new Map<string, string>();
  const added: string[] = [];
  const changed: string[] = [];
  const put: FolderFile[] = [];
  const currentPaths = new Set<string>();
  for (const file of files) {
    currentPaths.add(file.path);
    const sha256 = hashesBefore.get(file.path);
    if (sha256 === file.sha256) continue;
    put.push(file);
    (sha256 === undefined ? added : changed).push(file.path);
  }
  const removed = [...hashesBefore.keys()].filter((path) => !currentPaths.has(path));
  return { changes: { added, changed, removed, unchanged: files.length - put.length }, put };
}
