import type { Published } from '../folder/published.ts';
import type { Retries } from '../retry.ts';
import type { DeployEvent } from './events.ts';
import type { Publication } from './input.ts';
import type { Source } from './source.ts';
import type { Unfinished } from './unfinished.ts';

/** What one publishing works with. */
export interface Work {
  source: Source;
  asked: Publication;
  /** What was published before, for telling changes and for sending them alone. */
  published: Published | null;
  unfinished: Unfinished;
  tell(event: DeployEvent): void;
  signal: AbortSignal;
  /** A new count of failures, for one piece of the work. */
  retries(): Retries;
}
