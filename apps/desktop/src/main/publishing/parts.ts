import type { RetryPolicy, WatchRule } from '@berth/client';
import type { Problem } from '../../shared/problem.ts';
import type { Publishing } from '../../shared/publishing.ts';
import type { Accounts } from '../account/accounts.ts';
import type { Grants } from '../grants.ts';
import type { NextDrop } from '../next-drop.ts';
import type { JsonFileOptions } from '../storage/json-file.ts';
import type { AnnouncerParts } from './announcer.ts';

/** What publishing is made of. */
export interface PublishingParts extends AnnouncerParts {
  accounts: Pick<Accounts, 'client' | 'refused' | 'session'>;
  grants: Grants;
  nextDrop: NextDrop;
  /** Where the list is kept. */
  dataDir: string;
  /** Where the engine remembers hashes and unfinished uploads, and where files are copied to. */
  cacheDir: string;
  /** The pauses after failures that pass. */
  rule: WatchRule;
  retries?: Partial<RetryPolicy> | undefined;
  /** The folders that are watched, absolute. */
  watchedPaths(): readonly string[];
  /** Hears of the whole list, the newest first. */
  tell(publishings: Publishing[]): void;
  /** Hears of trouble that belongs to no publishing. */
  tellTrouble(problem: Problem): void;
  /** Hears when the file of the list is damaged. */
  onSetAside?: JsonFileOptions<unknown>['onSetAside'];
}
