import { z } from 'zod';
import { LiveVersion, PauseReason } from '../../shared/folder.ts';
import { Id } from '../../shared/publishing.ts';
import { ApprovedPath } from '../approval/approve.ts';

/** The stored record of a watched folder. Its password is in the keychain instead. */
export const FolderRecord = z.object({
  id: Id,
  /** Absolute. */
  path: ApprovedPath,
  /** The origin of the server. */
  server: z.url(),
  domain: z.string(),
  labels: z.array(z.string()),
  password: z.boolean(),
  paused: PauseReason.nullable(),
  url: z.url().nullable(),
  live: LiveVersion.nullable(),
  needsDns: z.boolean(),
});
export type FolderRecord = z.infer<typeof FolderRecord>;

/** In the order they were added. */
export const FolderRecords = z.object({ folders: z.array(FolderRecord) });

/** The name of a folder's password in the keychain. */
export const passwordName = (id: string) => `folder:${id}`;
