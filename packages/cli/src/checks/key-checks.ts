import { type Account, kindOfCredential } from '@berth/contract';
import type { Session } from '../session.ts';
import { type Check, failed, passed, serverError, warned, withinTimeLimit } from './check.ts';

/** The share of a cap from which a check warns. */
const NEARLY_FULL = 0.9;

const ORIGINS = {
  environment: 'from BERTH_KEY',
  settings: 'stored by berth login',
  option: '',
  project: '',
  default: '',
};

/** Checks the key, what it is allowed to do, and how much of the plan is used. */
export async function checkKey(session: Session): Promise<Check[]> {
  const { client, key } = session;
  if (key.key === null)
    return [
      warned('key', `none for ${session.server.server.origin}`, 'To sign in: berth login'),
      warned('access', 'public sites that expire, without a domain', 'Sign in to publish permanent sites.'),
    ];
  const origin = ORIGINS[key.from];
  const name = `…${key.key.slice(-4)}`;
  try {
    if (kindOfCredential(key.key) === 'deploy') {
      await withinTimeLimit(session, (signal) => client.api.platform.ping.query(undefined, { signal }));
      return [passed('key', `${name}, ${origin}`), passed('access', 'deploy token: can publish, and nothing else')];
    }
    const account = await withinTimeLimit(session, (signal) => client.api.account.get.query(undefined, { signal }));
    return [
      passed('key', `${name} of ${account.email}, ${origin}`),
      passed('access', 'API key: can do everything in this account'),
      checkPlan(account),
    ];
  } catch (thrown) {
    return [failed('key', serverError(thrown), session)];
  }
}

/** The caps that a publish can reach. */
const CAPS = [
  ['deployments', 'deployments', 'To delete old deployments: berth prune'],
  ['platformDomains', 'platform domains', 'To list and delete domains: berth domains'],
  ['customDomains', 'custom domains', 'To list and delete domains: berth domains'],
  ['storage', 'bytes of storage', 'To delete old deployments: berth prune'],
] as const;

function checkPlan({ plan, usage, caps }: Account): Check {
  for (const [cap, noun, next] of CAPS) {
    const max = caps?.[cap];
    if (max === undefined || max === 0 || usage[cap] < max * NEARLY_FULL) continue;
    const used = `${usage[cap].toLocaleString('en-US')} of ${max.toLocaleString('en-US')} ${noun}`;
    return warned('plan', `${plan}, with ${used} in use`, next);
  }
  return passed('plan', plan);
}
