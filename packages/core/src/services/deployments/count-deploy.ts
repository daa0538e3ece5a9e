import { ServiceError } from '../../errors.ts';
import { type DeployOutcome, deploys } from '../../metrics.ts';

/** Runs a deploy and counts its outcome in the metrics. @throws the errors of `work`. */
export async function countDeploy<T extends { replayed: boolean }>(work: () => Promise<T>): Promise<T> {
  try {
    const outcome = await work();
    deploys[outcome.replayed ? 'replayed' : 'published'].value += 1;
    return outcome;
  } catch (error) {
    deploys[outcomeOf(error)].value += 1;
    throw error;
  }
}

function outcomeOf(error: unknown): DeployOutcome {
  if (!(error instanceof ServiceError) || error.status >= 500) return 'failed';
  return error.code === 'request_timeout' ? 'aborted' : 'refused';
}
