import type { Plan } from '@berth/contract';
import type { Database } from './database/database.ts';
import type { Dns } from './dns/dns.ts';
import type { Log } from './log.ts';
import type { Hasher } from './storage/hasher.ts';
import type { PackStore } from './storage/packs.ts';

export type { Log } from './log.ts';

/** The plans. Source: api §6. */
export interface Plans {
  /** In display order. */
  readonly all: readonly Plan[];
  /** The plan of an account. A plan that no longer exists grants the same as the anonymous plan. */
  get(plan: string): Plan;
}

/** The addresses that the service uses and shows. */
export interface Addresses {
  /** The domain of the sites, with the port if it is part of the URL: `localhost:4000`. */
  readonly platformDomain: string;
  /** Its host name: the suffix of the names of sites. */
  readonly platformHost: string;
  /** The host below which each account has a CNAME target of its own. */
  readonly cnameTarget: string;
  /** The IP addresses that an apex must point at. If empty, an apex cannot be a domain. */
  readonly apexAddresses: readonly string[];
  /** The hosts of the service itself, and those that others must point at. They cannot be domains of an account. */
  readonly serviceHosts: ReadonlySet<string>;
  /** Returns the public URL of a deployment. */
  site(deployment: string): string;
  /** Returns the public URL of a domain. */
  domain(name: string): string;
  /** Returns the URL at which an anonymous deployment can be claimed. */
  claim(hash: string): string;
  /** Returns the URL of the public page with the DNS records of a domain. */
  share(hash: string): string;
}

/** Keys derived from `SECRET_KEY`, one per purpose. Source: security §7. */
export interface Keys {
  cursor: Buffer;
  idempotency: Buffer;
  /** Makes the values of the TXT records that prove the owner of an apex. */
  proof: Buffer;
  /** Signs the cookies that unlock sites with a password. */
  unlock: Buffer;
}

/** The names of the rate limits. Source: api §7. */
export type RateLimitName = 'global' | 'deploy' | 'anonymous' | 'unlock' | 'claim' | 'signin';

/** A token bucket: it has room for `count` tokens, and fills from empty to full in `perSeconds`. */
export interface RateLimit {
  count: number;
  perSeconds: number;
}

/** All limits, by name. */
export type RateLimits = Readonly<Record<RateLimitName, RateLimit>>;

/** Notifies subscribers in this process about new activities of their account. */
export interface ActivityFeed {
  /**
   * Calls `wake` whenever the account may have new activities, from the moment the promise resolves.
   *
   * @param wake Must not throw.
   * @returns Unsubscribes. Safe to call again.
   * @throws `rate_limit_exceeded` if the account has too many subscribers; `unavailable` if the process has too many, the
   *   database is unavailable, or the service is stopping.
   */
  subscribe(account: string, wake: () => void): Promise<() => void>;
  /** Aborted when the service stops. Subscribers must end then. */
  readonly ended: AbortSignal;
  /** Ends the feed. Safe to call again. */
  end(): void;
}

/** The dependencies of all services. Created once, at the edge; tests replace single parts. */
export interface Core {
  readonly database: Database;
  readonly dns: Dns;
  readonly packs: PackStore;
  /** Hashes uploaded files. */
  readonly hasher: Hasher;
  readonly plans: Plans;
  readonly addresses: Addresses;
  readonly keys: Keys;
  /** Notifies subscribers of the activities of an account. */
  readonly activityFeed: ActivityFeed;
  /** The rate limits; `null` for no limits. */
  readonly rateLimits: RateLimits | null;
  readonly log: Log;
  /** The id of this boot, as its row in `boot` names it. */
  readonly boot: string;
  /** Packs that uploads of this process are filling now. The sweep of this process skips them. */
  readonly activePacks: Set<string>;
  /** Returns the current time. */
  now(): Date;
}

/**
 * Who sends a request. Determined once, from the `Authorization` header.
 *
 * Source: api §1.
 */
export type Caller = AnonymousCaller | AccountCaller;

export interface AnonymousCaller {
  kind: 'anonymous';
  /** The client's address. IPv6 is cut to its /64. */
  address: string;
}

export interface AccountCaller {
  kind: 'account';
  account: string;
  plan: string;
  /** The kind of the credential: an API key for the whole account, or a token for deploys only. */
  credential: 'api' | 'deploy';
  /** The identifier of the credential. */
  token: string;
  /** `operator` for the operator, who acts for an account. */
  authMethod: 'api-key' | 'deploy-token' | 'operator';
}

/** Who acts. Every query on account data takes it. `Scope<Caller>` also includes anonymous callers. */
export interface Scope<C extends Caller = AccountCaller> {
  core: Core;
  caller: C;
}
