import type { RetryPolicy, WatchRule } from '@berth/client';
import type { Problem } from '../../shared/problem.ts';
import type { Publishing } from '../../shared/publishing.ts';
import type { Accounts } from '../account/accounts.ts';
import type { Grants } from '../grants.ts';
import type { NextDrop } from '../next-drop.ts';
import type { JsonFileOptions } from '../storage/json-file.ts';
import type { PublishingNotificationsOptions } from './notifications.ts';

/** The dependencies and options of publishing. */
export interface PublishingOptions extends PublishingNotificationsOptions {
  accounts: Pick<Accounts, 'client' | 'refused' | 'session'>;
  grants: Grants;
  nextDrop: NextDrop;
  /** The folder of `publishings.json`. */
  dataDir: string;
  /** The folder for cached hashes, unfinished uploads and copies of dropped files. */
  cacheDir: string;
  /** The pauses before retries. */
  rule: WatchRule;
  retries?: Partial<RetryPolicy> | undefined;
  /** The absolute paths of the watched folders. */
  watchedPaths(): readonly string[];
  /** Called with the whole list, newest first, when it changes. */
  onChange(publishings: Publishing[]): void;
  /** Called with problems that belong to no publishing. */
  onProblem(problem: Problem): void;
  /** Called when `publishings.json` is damaged. */
  onDamaged?: JsonFileOptions<unknown>['onDamaged'];
}
