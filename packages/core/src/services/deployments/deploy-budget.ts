import type { Caller, Scope } from '../../core.ts';
import { hasStoredOutcome, type IdempotencyKey } from './idempotency.ts';
import { giveBackRateLimit, type RateLimitState, requireRateLimit } from '../rate-limits.ts';

/** The share of the rate limit on deploys that a deploy has used. */
interface DeployBudget {
  /** The state of the rate limit; `null` if the deploy did not count. */
  state: RateLimitState | null;
  /** Gives the share back, for a deploy that repeats an earlier deploy. Never throws. */
  giveBack(): Promise<void>;
}

/**
 * Counts a deploy against the rate limit of the credential, or of the address of an anonymous client. Call it before the
 * body is read, so that a refused client does not upload anything. A deploy that fails later still counts.
 *
 * A repeated deploy does not count, so a key with a stored outcome is free. A key whose first deploy is still running
 * counts, because its outcome is unknown; the caller gives the share back if the deploy is a repetition after all.
 *
 * @throws `rate_limit_exceeded`; `unavailable` if the database cannot be used. Source: api §3, §7; security T25, T27.
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
