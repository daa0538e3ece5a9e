import type { LastDeployment } from '../folder/last-deployment.ts';
import type { FolderFile } from '../folder/snapshot.ts';
import type { Changes } from './events.ts';

/** Changes, and the files that must be published for them. */
export interface Difference {
  changes: Changes;
  /** The added and changed files. */
  put: readonly FolderFile[];
}

/** Compares files with the deployment that was published before. If it is unknown, all files count as added. */
export function compareWithLastDeployment(
  lastDeployment: LastDeployment | null,
  files: readonly FolderFile[],
): Difference {
  const before = lastDeployment?.files ?? new Map<string, string>();
  const added: string[] = [];
  const changed: string[] = [];
  const put: FolderFile[] = [];
  const now = new Set<string>();
  for (const file of files) {
    now.add(file.path);
    const sha256 = before.get(file.path);
    if (sha256 === file.sha256) continue;
    put.push(file);
    (sha256 === undefined ? added : changed).push(file.path);
  }
  const removed = [...before.keys()].filter((path) => !now.has(path));
  return { changes: { added, changed, removed, unchanged: files.length - put.length }, put };
}
