import type { Plan } from '@berth/contract';
import type { Database } from './database/database.ts';
import type { Dns } from './dns/dns.ts';
import type { Log } from './log.ts';
import type { ActivityFeed } from './services/activities/activity-feed.ts';
import type { RateLimits } from './services/rate-limits.ts';
import type { Hasher } from './storage/hasher.ts';
import type { PackStore } from './storage/packs.ts';

export type { Log } from './log.ts';

/** The plan table. Source: contract §6. */
export interface Plans {
  /** In display order. */
  readonly all: readonly Plan[];
  /** The plan of an account; one that is no longer in the table grants what the anonymous plan grants. */
  get(plan: string): Plan;
}

/** The addresses that answers name. */
export interface Addresses {
  /** Where sites live, with a port when it is part of the URL: `localhost:4000`. */
  readonly platformDomain: string;
  /** Its host name: what names end in. */
  readonly platformHost: string;
  /** Each account's own CNAME target is a name below this host. */
  readonly cnameTarget: string;
  /** The IP addresses that an apex points at; without any, no apex can be a domain. */
  readonly apexAddresses: readonly string[];
  /** The hosts that the service itself answers on, or has others point at: never anybody's domain. */
  readonly serviceHosts: ReadonlySet<string>;
  /** The public URL of a deployment. */
  site(deployment: string): string;
  /** The public URL of a domain. */
  domain(name: string): string;
  /** The URL at which an anonymous deployment can be claimed. */
  claim(hash: string): string;
  /** The URL of the public page with the DNS records of a domain. */
  share(hash: string): string;
}

/** Keys derived from `SECRET_KEY`, one for each purpose. Source: security §7. */
export interface Keys {
  cursor: Buffer;
  idempotency: Buffer;
  /** Makes the values of TXT records that prove who an apex belongs to. */
  proof: Buffer;
  /** Signs the cookies that open protected sites. */
  unlock: Buffer;
}

/** Everything a service works with. Made once, at the edge; tests replace any part by passing another. */
export interface Core {
  database: Database;
  dns: Dns;
  packs: PackStore;
  /** Hashes what is uploaded. */
  hasher: Hasher;
  plans: Plans;
  addresses: Addresses;
  keys: Keys;
  /** Wakes those who follow the activities of an account. */
  activityFeed: ActivityFeed;
  /** How often what may be asked; `null` for as often as anybody likes. */
  rateLimits: RateLimits | null;
  log: Log;
  /** This run of the process, as its row in `boot` names it. */
  boot: string;
  /** Packs that an upload of this process is filling right now; the sweep of this process leaves them alone. */
  activePacks: Set<string>;
  /** The time now. */
  now(): Date;
}

/**
 * Who makes a request. Decided once, from the `Authorization` header.
 *
 * Source: service-api part 5; contract §1.
 */
export type Caller = AnonymousCaller | AccountCaller;

export interface AnonymousCaller {
  kind: 'anonymous';
  /** The client's address; IPv6 cut to its /64. */
  address: string;
}

export interface AccountCaller {
  kind: 'account';
  account: string;
  plan: string;
  /** Which kind of credential: a whole account's key, or a token for deploys alone. */
  credential: 'api' | 'deploy';
  /** The identifier of the credential. */
  token: string;
  /** `operator` for the operator, who works in the name of an account. */
  authMethod: 'api-key' | 'deploy-token' | 'operator';
}

/** Who asks. Every query on account data takes it. */
export interface Scope {
  core: Core;
  caller: AccountCaller;
}
