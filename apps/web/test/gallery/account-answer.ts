import type { Account } from '@berth/contract';
import { NOW_SECONDS } from '@berth/ui/testing/samples';
import { EMAIL } from './fake-server.ts';

/** Answers with an account on the plan pro. */
export function account(other: Partial<Account> = {}): { value: Account } {
  const value: Account = {
    account: 'acc-1',
    email: EMAIL,
    name: 'Mara Lind',
    plan: 'pro',
    usage: { deployments: 212, platformDomains: 6, customDomains: 4, seats: 1, storage: 734_003_200 },
    caps: { deployments: 1_000, platformDomains: 50, customDomains: 10, seats: 1, storage: 53_687_091_200 },
    scheduled: null,
    created: NOW_SECONDS - 90 * 86_400,
    hint: '7f3a',
    authMethod: 'session',
    used: NOW_SECONDS - 60,
    ...other,
  };
  return { value };
}
