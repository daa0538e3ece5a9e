import type { EventEmitter } from 'node:events';
import type { MemberRole, Plan } from '@berth/contract';
import type { Database } from './database/database.ts';
import type { Dns } from './dns/dns.ts';
import type { Log } from './log.ts';
import type { Mailer } from './mail/mailer.ts';
import type { OidcProvider } from './oidc/provider.ts';
import type { AccountStanding } from './entities/index.ts';
import type { RuleCompiler } from './rule-compiler/rule-compiler.ts';
import type { Hasher } from './storage/hasher.ts';
import type { PackStore } from './storage/packs.ts';
import type { Tracer } from './tracing.ts';

export type { Log } from './log.ts';

/** The plans that accounts can have. Source: api §6. */
export interface Plans {
  /** All plans in display order; empty for a server without plans. */
  readonly all: readonly Plan[];
  /** The plan whose limits apply to anonymous deploys. */
  readonly anonymous: Plan;
  /** Returns the plan with an id. If there is no such plan, returns {@link anonymous}, or without plans the unlimited plan. */
  get(plan: string): Plan;
}

/** The addresses that the service uses and shows. */
export interface Addresses {
  /** The domain of the sites, with the port if the URL has one: `localhost:4000`. */
  readonly platformDomain: string;
  /** The host name of the platform domain, which all sites have as a suffix. */
  readonly platformHost: string;
  /** The host name below which each account has a CNAME target. */
  readonly cnameTarget: string;
  /** The IP addresses that an apex domain must point at. If the list is empty, an apex cannot be a domain. */
  readonly apexAddresses: readonly string[];
  /** The hosts of the service and the hosts that domains point at. No account can have them as domains. */
  readonly serviceHosts: ReadonlySet<string>;
  /** Returns the public URL of a deployment. */
  site(deployment: string): string;
  /** Returns the public URL of a domain. */
  domain(name: string): string;
  /** Returns the URL at which an anonymous deployment can be claimed. */
  claim(hash: string): string;
  /** The origin of the console, such as `https://berth.example.com`. */
  readonly console: string;
  /** Returns a one-time link, which signs a person in. The secret is in the fragment, which browsers do not send. */
  firstLink(secret: string): string;
  /** Returns the link of an invitation. */
  invite(secret: string): string;
  /** Returns the URL of the public page with the DNS records of a domain. */
  share(hash: string): string;
}

/** The keys that are derived from `SECRET_KEY`, one for each purpose. Source: security §7. */
export interface Keys {
  cursor: Buffer;
  idempotency: Buffer;
  /** Makes the values of the TXT records that prove the owner of an apex. */
  proof: Buffer;
  /** Signs the cookies that unlock sites with a password. */
  unlock: Buffer;
  /** Hashes the short codes that a person types: those sent by e-mail, and those of devices. */
  code: Buffer;
}

/** The names of the rate limits. Source: api §7. */
export type RateLimitName = 'global' | 'deploy' | 'anonymous' | 'unlock' | 'claim' | 'signin';

/** A token bucket with room for `count` tokens, which fills from empty to full in `perSeconds` seconds. */
export interface RateLimit {
  count: number;
  perSeconds: number;
}

/** The rate limits by name. */
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
  /** Aborted when the service stops. Subscribers must then end. */
  readonly ended: AbortSignal;
  /** Ends the feed. Safe to call again. */
  end(): void;
}

/** The ways to sign in that the operator has configured. Source: api §10, §13. */
export interface SignInSettings {
  /** Sends codes; `null` for a server without a mail server. */
  readonly mailer: Mailer | null;
  /** The OpenID Connect provider; `null` for none. */
  readonly provider: OidcProvider | null;
  /** What a person gets who opens an account; `null` if no one can. */
  readonly signUp: { readonly plan: string } | null;
}

/** The dependencies of all services. A server creates one value; tests replace parts of it. */
export interface Core {
  readonly database: Database;
  readonly dns: Dns;
  readonly packs: PackStore;
  readonly hasher: Hasher;
  readonly ruleCompiler: RuleCompiler;
  readonly plans: Plans;
  /** The file extensions that are refused, in lower case and without the dot. Source: api §10. */
  readonly blockedExtensions: ReadonlySet<string>;
  readonly addresses: Addresses;
  readonly keys: Keys;
  readonly activityFeed: ActivityFeed;
  /** The e-mail address of the owner's account. */
  readonly ownerEmail: string;
  /** Whether clients without a credential may deploy. Source: api §10. */
  readonly anonymousDeploys: boolean;
  readonly signIn: SignInSettings;
  /** The rate limits; `null` for no limits. */
  readonly rateLimits: RateLimits | null;
  readonly log: Log;
  readonly tracer: Tracer;
  /** The id of the row in `boot` for this start of the process. */
  readonly boot: string;
  /** The packs that this process is filling. The sweep of this process skips these packs. */
  readonly activePacks: Set<string>;
  /** Emits `deployment` after this process has committed a deployment, whose front page and compression are then due. */
  readonly published: EventEmitter<{ deployment: [] }>;
  /** The time by the clock of the database, which all processes share. */
  now(): Date;
}

/** Who sends a request, according to the `Authorization` header or the cookie of the console. Source: api §1, §13. */
export type Caller = AnonymousCaller | AccountCaller;

export interface AnonymousCaller {
  kind: 'anonymous';
  /** The address of the client, with IPv6 cut to its /64. */
  address: string;
}

export interface AccountCaller {
  kind: 'account';
  account: string;
  plan: string;
  /** The kind of the credential: an API key for the whole account, a token for deploys only, or a session of a person. */
  credential: 'api' | 'deploy' | 'session';
  /** The id of the credential: of a token, or `ses-…`. */
  token: string;
  /** Present for a deploy token that can publish to domains. Source: api §5. */
  domainAccess?: DomainAccess;
  /** The member who acts: the one who made the credential. `null` if the operator made it, who acts as the owner. */
  member: CallingMember | null;
  /** How the request was authenticated. The operator acts for an account with `operator`. */
  authMethod: 'api-key' | 'deploy-token' | 'session' | 'operator';
  /** Present for a session. */
  session?: CallingSession;
  /** When the credential was last used before this request; `null` if it was not, and for the operator. */
  used: Date | null;
}

/** The session of the person who is signed in. Source: api §13. */
export interface CallingSession {
  /** The e-mail address of the person. */
  readonly email: string;
  /** When the person last proved who they are. */
  readonly proved: Date;
  /** The state of the account. A person can see why it is not active, choose another one, and sign out. */
  readonly standing: AccountStanding;
}

/** A browser with a page of the console, and its cookies. Source: api §13. */
export interface Browser {
  /** The `User-Agent` header. */
  readonly agent: string;
  /** The address of the client, with IPv6 cut to its /64. */
  readonly address: string;
  /** Why this browser cannot keep a session; `null` if it can. */
  readonly refusal: string | null;
  /** The secret of the session; `null` if it has none. */
  readonly session: string | null;
  /** The secret of the sign-in that the browser has begun; `null` if it has begun none. */
  readonly proof: string | null;
  /** Replaces the secret of the session. `null` removes it. */
  keepSession(secret: string | null): void;
  /** Replaces the secret of the sign-in that the browser has begun. `null` removes it. */
  keepProof(secret: string | null): void;
  /** Runs work after the response was sent, or at once if the client has left. The work must not throw. */
  afterResponse(work: () => Promise<void>): void;
}

/** A member of the account of the caller. */
export interface CallingMember {
  /** The id of the person. */
  readonly person: string;
  readonly role: MemberRole;
}

/** What a deploy token can do with domains. */
export interface DomainAccess {
  /** The normalised names of the domains that it can publish to, and read. */
  readonly domains: readonly string[];
  /** The smallest number of versions of a domain that its deploys must keep. */
  readonly keep: number;
}

/** Returns the name of the client that limits apply to: the account, or the address of an anonymous caller. */
export function clientOf(caller: Caller): string {
  return caller.kind === 'account' ? `account:${caller.account}` : `address:${caller.address}`;
}

/** The core and the caller of a service. `Scope<Caller>` also allows anonymous callers. */
export interface Scope<C extends Caller = AccountCaller> {
  core: Core;
  caller: C;
}
