import type { Published } from '../folder/published.ts';
import type { Retries } from '../retry.ts';
import type { DeployEvent } from './events.ts';
import type { Publication } from './input.ts';
import type { Source } from './source.ts';
import type { Unfinished } from './unfinished.ts';

/** The context of one deploy. */
export interface Work {
  source: Source;
  asked: Publication;
  /** The last deployment, to compute the changes and to send only these. */
  published: Published | null;
  unfinished: Unfinished;
  tell(event: DeployEvent): void;
  signal: AbortSignal;
  /** Creates a new failure counter, for one step of the deploy. */
  retries(): Retries;
}
