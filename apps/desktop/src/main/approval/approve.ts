import { join } from 'node:path';
import { onDriveWithin } from '@berth/client';
import { z } from 'zod';
import type { FolderQuestion } from '../../shared/publishing.ts';
import { ANSWER_WITHIN_MS } from '../drive-limits.ts';
import type { Grants } from '../grants.ts';
import { inspectFolder } from './inspect.ts';

/**
 * The path of a folder that may become public. Only {@link approve} makes one of a path, so nothing is published or watched
 * before the question about it is answered. Kept paths were approved before they were kept.
 */
export const ApprovedPath = z.string().brand<'ApprovedPath'>();
export type ApprovedPath = z.infer<typeof ApprovedPath>;

/** A folder that may become public, or what has to be answered first. */
export type Approval = { path: ApprovedPath; question: null } | { path: null; question: FolderQuestion };

/**
 * Checks a folder before it becomes public. Every way to publish or watch a folder passes here.
 *
 * @param grants Gives one for each suggested folder, and the confirmation that answers the question.
 * @param sure The confirmation that an earlier question about this very folder came with. Any other is ignored.
 * @throws ClientError `folder` when the drive does not answer. Source: design of the desktop app, §8, 17.
 */
export async function approve(path: string, grants: Grants, sure?: string): Promise<Approval> {
  if (sure !== undefined && grants.isConfirmed(sure, path)) return { path: ApprovedPath.parse(path), question: null };
  const doubt = await onDriveWithin(path, ANSWER_WITHIN_MS, () => inspectFolder(path));
  if (!doubt) return { path: ApprovedPath.parse(path), question: null };
  const suggestions = [];
  for (const name of doubt.suggestions) {
    const [given] = await grants.give([join(path, name)]);
    if (given?.kind === 'folder') suggestions.push({ grant: given.grant, name });
  }
  return { path: null, question: { about: doubt.about, suggestions, anyway: grants.confirm(path) } };
}
