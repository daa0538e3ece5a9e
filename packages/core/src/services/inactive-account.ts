import type { AccountStanding } from '../entities/index.ts';
import { ServiceError } from '../errors.ts';

/** Refuses what needs an active account. @throws `forbidden`, with the reason of the operator. Source: api §6. */
export function requireActiveAccount(account: AccountStanding): void {
  if (account.state !== 'active') throw new ServiceError('forbidden', inactiveText(account));
}

/** Says that an account is not active, and why. */
export function inactiveText({ state, stateReason }: AccountStanding): string {
  return `This account is ${state}${stateReason === null ? '.' : `: ${stateReason}`}`;
}
