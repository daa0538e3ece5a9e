import type { Caller, Scope } from '../../core.ts';
import { hasStoredOutcome, type IdempotencyKey } from './idempotency.ts';
import { giveBackRateLimit, type RateLimitState, requireRateLimit } from '../rate-limits.ts';

/** What a deploy has taken from the rate limit on deploys. */
export interface DeployBudget {
  /** The state of the limit; `null` if nothing was taken. */
  state: RateLimitState | null;
  /** Returns what was taken, for a deploy that turned out to be a repetition. Never throws. */
  giveBack(): Promise<void>;
}

/**
 * Counts a deploy against the rate limit of the credential, or of the address of an anonymous client. Called before the
 * body is read, so that a refused client does not upload anything.
 *
 * A repetition is free, and must not be refused because its first run used up the limit. So a key with a stored outcome
 * takes nothing. A key whose first run has not ended does count, because its outcome is unknown; if it turns out to be
 * a repetition, the caller returns what was taken. A deploy that is refused counts like one that succeeds.
 *
 * @throws `rate_limit_exceeded`; `unavailable` if the store cannot be used. Source: api §3, §7; security T25, T27.
 */
export async function takeDeployBudget(scope: Scope<Caller>, key: IdempotencyKey | null): Promise<DeployBudget> {
  const { core, caller } = scope;
  if (!core.rateLimits || (key && (await hasStoredOutcome(core, key)))) return { state: null, async giveBack() {} };
  const [name, who] =
    caller.kind === 'account'
      ? (['deploy', `${caller.account}:${caller.token}`] as const)
      : (['anonymous', caller.address] as const);
  return {
    state: await requireRateLimit(core, name, who),
    giveBack: () =>
      giveBackRateLimit(core, name, who).catch((error: unknown) =>
        core.log.warn({ err: error }, 'The rate limit of a repeated deploy could not be given back'),
      ),
  };
}
