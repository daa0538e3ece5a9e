import { join } from 'node:path';
import { type FolderDoubt, inspectFolder, onDriveWithin } from '@berth/client';
import { z } from 'zod';
import type { Build, FolderQuestion } from '../../shared/publishing.ts';
import { DRIVE_LIMIT_MS } from '../drive-limits.ts';
import type { Grants } from '../grants.ts';
import { findBuild } from '../projects/find-build.ts';

/**
 * The path of a folder that may become public. Only {@link approve} creates such a path, so no folder is published or watched
 * before the question about it is answered. Stored paths were approved before they were stored.
 */
export const ApprovedPath = z.string().brand<'ApprovedPath'>();
export type ApprovedPath = z.infer<typeof ApprovedPath>;

/** Either the path of a folder that may become public, or the question that must be answered first. */
type Approval = { path: ApprovedPath; question: null } | { path: null; question: FolderQuestion };

/**
 * Checks a folder before it becomes public. Every way to publish or watch a folder calls this.
 *
 * @param grants Creates the grants of suggested folders, and the confirmation that answers the question.
 * @param sure The confirmation from an earlier question about the same folder. Any other value is ignored.
 * @throws ClientError `folder` when the drive does not respond. Source: desktop §8.17.
 */
export async function approve(path: string, grants: Grants, sure?: string): Promise<Approval> {
  if (sure !== undefined && grants.isConfirmed(sure, path)) return { path: ApprovedPath.parse(path), question: null };
  const [inspection, build] = await onDriveWithin(path, DRIVE_LIMIT_MS, () => inspectProject(path));
  if (!inspection) return { path: ApprovedPath.parse(path), question: null };
  const suggestions = [];
  for (const name of inspection.suggestions) {
    const [given] = await grants.give([join(path, name)]);
    if (given?.kind === 'folder') suggestions.push({ grant: given.grant, name });
  }
  return { path: null, question: { about: inspection.about, suggestions, build, anyway: grants.confirm(path) } };
}

/** Finds out whether a folder may be the wrong one, and how it is built. A folder with a build command is a project. */
async function inspectProject(path: string): Promise<[FolderDoubt | null, Build | null]> {
  const doubt = await inspectFolder(path);
  if (doubt?.about === 'personal') return [doubt, null];
  const build = await findBuild(path);
  return build === null ? [doubt, null] : [{ about: 'project', suggestions: doubt?.suggestions ?? [] }, build];
}
