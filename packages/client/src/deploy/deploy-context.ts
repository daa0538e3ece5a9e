import type { LastDeployment } from '../folder/last-deployment.ts';
import type { RetryCounter } from '../retry.ts';
import type { DeployEvent } from './events.ts';
import type { Publication } from './input.ts';
import type { Source } from './source.ts';
import type { ResumeState } from './resume-state.ts';

/** The context of one deploy. */
export interface DeployContext {
  source: Source;
  publication: Publication;
  /** The last deployment, to compute the changes and to send only these. */
  lastDeployment: LastDeployment | null;
  resumeState: ResumeState;
  emit(event: DeployEvent): void;
  signal: AbortSignal;
  /** Creates a new failure counter, for one step of the deploy. */
  startRetries(): RetryCounter;
}
