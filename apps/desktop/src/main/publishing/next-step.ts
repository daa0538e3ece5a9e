import { backoffMs, ClientError, retryAfterMs, type WatchRule } from '@berth/client';
import type { CreatedDeployment, Domain } from '@berth/contract';
import type { Published } from '../../shared/publishing.ts';
import { problemOf } from '../problem.ts';
import { type Entry, type StoredState } from './entry.ts';
import type { AttemptOutcome } from './attempt.ts';
import { publishedNameOf } from './staging.ts';

const MAX_NOTICES = 20;

/** What to do after an attempt. */
export type NextStep =
  | { is: 'published'; published: Published }
  | { is: 'ended'; state: StoredState }
  /** The server cannot be reached or is busy. The attempt is retried. */
  | { is: 'paused'; pauseMs: number; reason: string };

/**
 * Decides what to do after an attempt. Pure.
 *
 * A live deployment counts as published even if the user cancelled. An incomplete result never counts as complete. An attempt is
 * retried if the server cannot be reached, but not if the server refuses it.
 *
 * @param failures The number of consecutive failed attempts before this one.
 */
export function nextStepAfter(
  entry: Entry,
  { deployment, domain, failure }: AttemptOutcome,
  failures: number,
  rule: WatchRule,
  nowMs: number,
): NextStep {
  const isGivenUp = failure instanceof ClientError && failure.kind === 'aborted';
  if (deployment && (failure === null || isGivenUp))
    return { is: 'published', published: publishedOf(entry, deployment, domain, nowMs) };
  if (isGivenUp) return { is: 'ended', state: { is: 'cancelled' } };
  const pauseMs = pauseAfter(failure, failures, rule);
  if (pauseMs !== null) return { is: 'paused', pauseMs, reason: problemOf(failure).message };
  const problem = problemOf(failure ?? new ClientError('server', 'The server did not confirm the deployment.'));
  const message = deployment ? `${problem.message} The site is live at ${deployment.url}` : problem.message;
  return { is: 'ended', state: { is: 'failed', problem: { ...problem, message }, at: nowMs } };
}

/** The pause before a retry, in milliseconds; `null` if the failure is permanent or the server asks for too long a pause. */
function pauseAfter(failure: unknown, failures: number, { firstPauseMs, longestPauseMs }: WatchRule): number | null {
  if (!(failure instanceof ClientError) || (failure.kind !== 'network' && failure.kind !== 'unavailable')) return null;
  const askedMs = retryAfterMs(failure);
  if (askedMs > longestPauseMs) return null;
  return Math.max(askedMs, backoffMs(failures, firstPauseMs, longestPauseMs));
}

function publishedOf(entry: Entry, deployment: CreatedDeployment, domain: Domain | null, at: number): Published {
  return {
    deployment: deployment.deployment,
    url: domain?.status === 'success' ? domain.url : linkOf(entry, deployment.url),
    domain: domain?.domain ?? null,
    server: entry.server,
    files: deployment.files,
    bytes: deployment.size,
    at,
    expires: deployment.expires ?? null,
    claim: deployment.claim ?? null,
    password: deployment.password,
    copied: false,
    notices: (deployment.warnings ?? [])
      .slice(0, MAX_NOTICES)
      .map(({ file, line = null, message }) => ({ file, line, message })),
  };
}

/** The link to share. For a single file that is not a page, it is the link of the file, because there is no front page. */
function linkOf({ source }: Entry, url: string): string {
  const only = source.kind === 'files' && source.paths.length === 1 ? source.paths[0] : undefined;
  const name = only === undefined ? 'index.html' : publishedNameOf([only], only);
  return name === 'index.html' ? url : new URL(`/${encodeURIComponent(name)}`, url).href;
}
