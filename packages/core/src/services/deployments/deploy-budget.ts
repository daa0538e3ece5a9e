import type { Caller, Core } from '../../core.ts';
import { hasOutcome, type IdempotencyKey } from './idempotency.ts';
import { giveBack, type RateLimitState, requireRoom } from '../rate-limits.ts';

/** What a deploy has taken of the limit on deploys. */
export interface DeployBudget {
  /** What is left; `null` when nothing was asked for. */
  state: RateLimitState | null;
  /** Puts back what was taken, for a deploy that turned out to be a repetition. Never throws. */
  giveBack(): Promise<void>;
}

/**
 * Takes a deploy out of the budget of the credential, or of the address of an anonymous client, before its body is read:
 * whoever has none left is turned away without an upload.
 *
 * A repetition costs nothing, and must not be turned away by a budget that its first run has emptied. So a key that has an
 * outcome takes nothing. A key whose first run is still under way does take: whether that ends well is not known yet. When
 * it then was a repetition after all, the caller gives back. A refused deploy costs what one that succeeds costs.
 *
 * @throws `rate_limit_exceeded`; `unavailable` when the store is away. Source: contract §3, §7; security T25, T27.
 */
export async function takeDeployBudget(core: Core, caller: Caller, key: IdempotencyKey | null): Promise<DeployBudget> {
  if (!core.rateLimits || (key && (await hasOutcome(core, key)))) return { state: null, async giveBack() {} };
  const [name, who] =
    caller.kind === 'account'
      ? (['deploy', `${caller.account}:${caller.token}`] as const)
      : (['anonymous', caller.address] as const);
  return {
    state: await requireRoom(core, name, who),
    giveBack: () =>
      giveBack(core, name, who).catch((error: unknown) =>
        core.log.warn({ err: error }, 'A repeated deploy was not given back to its budget.'),
      ),
  };
}
