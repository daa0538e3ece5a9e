import { backoffMs, ClientError, retryAfterMs, type WatchRule } from '@berth/client';
import type { CreatedDeployment, Domain } from '@berth/contract';
import type { Published } from '../../shared/publishing.ts';
import { problemOf } from '../problem.ts';
import { type Entry, type StoredState } from './entry.ts';
import type { AttemptOutcome } from './attempt.ts';
import { isArchive } from './unzip.ts';
import { publishedNameOf } from './staging.ts';

const MAX_NOTICES = 20;

type NextStep =
  | { is: 'published'; published: Published }
  | { is: 'ended'; state: StoredState }
  /** The server cannot be reached or is busy. The attempt is retried. */
  | { is: 'paused'; pauseMs: number; reason: string };

/**
 * Decides what to do after an attempt. A live deployment counts as published even if the user cancelled. A deployment whose domain
 * could not be read does not count as published yet. An attempt is retried if the server cannot be reached or is busy, but not if
 * the server refuses the deployment.
 *
 * @param failures The number of consecutive failed attempts before this attempt.
 */
export function nextStepAfter(
  entry: Entry,
  { deployment, domain, failure }: Pick<AttemptOutcome, 'deployment' | 'domain' | 'failure'>,
  failures: number,
  rule: WatchRule,
  nowMs: number,
): NextStep {
  const isCancelled = failure instanceof ClientError && failure.kind === 'aborted';
  if (deployment && (failure === null || isCancelled))
    return { is: 'published', published: publishedOf(entry, deployment, domain, nowMs) };
  if (isCancelled) return { is: 'ended', state: { is: 'cancelled' } };
  const pauseMs = pauseAfter(failure, failures, rule);
  if (pauseMs !== null) return { is: 'paused', pauseMs, reason: problemOf(failure).message };
  const problem = problemOf(failure ?? new ClientError('server', 'The server did not confirm the deployment.'));
  const message = deployment ? `${problem.message} The site is live at ${deployment.url}` : problem.message;
  return { is: 'ended', state: { is: 'failed', problem: { ...problem, message }, at: nowMs } };
}

/** The pause before a retry, in milliseconds; `null` if the failure is permanent or `Retry-After` exceeds the longest pause. */
function pauseAfter(failure: unknown, failures: number, { firstPauseMs, longestPauseMs }: WatchRule): number | null {
  if (!(failure instanceof ClientError) || (failure.kind !== 'network' && failure.kind !== 'unavailable')) return null;
  const requestedMs = retryAfterMs(failure);
  if (requestedMs > longestPauseMs) return null;
  return Math.max(requestedMs, backoffMs(failures, firstPauseMs, longestPauseMs));
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

/** The link to share. A single file that is not a page gets a link to itself, because its site has no front page. */
function linkOf({ source }: Entry, url: string): string {
  const isFile = source.kind === 'files' && source.paths.length === 1 && !isArchive(source.paths);
  const path = isFile ? source.paths[0] : undefined;
  const name = path === undefined ? 'index.html' : publishedNameOf([path], path);
  return name === 'index.html' ? url : new URL(`/${encodeURIComponent(name)}`, url).href;
}
