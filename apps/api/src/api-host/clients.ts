import type { Caller } from '@berth/core';

/** Names the client that limits apply to: the account, or the address of an anonymous caller. */
export function clientOf(caller: Caller): string {
  return caller.kind === 'account' ? `account:${caller.account}` : `address:${caller.address}`;
}
