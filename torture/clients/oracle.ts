import type { FileSpec } from './content.ts';

/** An acknowledged deployment, and what its visitors must get. */
export interface Site {
  id: string;
  marker: string;
  files: readonly FileSpec[];
  password: string | null;
  /** A password that no longer opens the site. */
  oldPassword: string | null;
  /** A cookie of the current password; `null` until a visitor has unlocked the site. */
  cookie: string | null;
  /** When the site expires, in Unix seconds by the clock of the service; `null` for never. */
  expires: number | null;
  /** Whether the clock of the service has been past `expires`. If it was set back since, either answer is right. */
  mayHaveExpired: boolean;
  state: 'live' | 'deleted' | 'taken-down';
  /** Whether a request to change the password may still be running, because its connection was lost. */
  uncertain: boolean;
  /** When the last change was acknowledged, as of `performance.now()`. */
  changedAt: number;
}

type OrderKind = 'form' | 'tar' | 'gzip' | 'zip' | 'delta';

/** One deploy that a client wants to make, and what is known about it. */
export interface Order {
  /** The only label of the deployment. */
  marker: string;
  kind: OrderKind;
  files: readonly FileSpec[];
  /** The `Idempotency-Key`; `null` for none. */
  key: string | null;
  /** The credential; `null` for an anonymous deploy. */
  credential: string | null;
  password: string | null;
  ttl: number | null;
  domain: string | null;
  keep: number | null;
  /** How the client spoils the request, so that it must publish nothing; `null` if it does not. */
  spoilt: 'cut' | 'wrong checksum' | null;
  /** How many requests were sent that may have published. */
  attempts: number;
  /** The deployment of the first 201. */
  deployment: string | null;
  /** The body of the first 201. */
  body: string | null;
}

/** A client with an account, a domain and sites, which sends one request after another. */
export interface Client {
  name: string;
  account: string;
  key: string;
  random: () => number;
  lastNumber: number;
  domain: string;
  /** The site that the domain shows; `null` before the first deploy to the domain. */
  shown: Site | null;
  /** The ids of the sites that the domain has shown, the last one last, without repetitions. */
  history: string[];
  /** Whether a request that switches the domain may still be running, because its connection was lost. */
  domainUncertain: boolean;
  domainChangedAt: number;
  sites: Site[];
  /** The last deleted sites. */
  gone: Site[];
  /** The orders since the last check. */
  orders: Order[];
  /** The last orders with a key that were acknowledged. */
  repeatable: Order[];
  /** The secrets of the last revoked tokens. */
  revoked: string[];
  /** Acknowledged changes since the last check that must each be in the audit log once. */
  changes: { event: string; deployment?: string; token?: string }[];
}

/** The counts of a run. */
export interface Tally {
  acknowledged: number;
  requests: number;
  /** Requests whose connection failed. */
  lostConnections: number;
  unavailable: number;
  visits: number;
  domainChanges: number;
}

export const newTally = (): Tally => ({
  acknowledged: 0,
  requests: 0,
  lostConnections: 0,
  unavailable: 0,
  visits: 0,
  domainChanges: 0,
});

/** Records that the domain of a client shows a site. */
export function markShown(client: Client, site: Site): void {
  client.shown = site;
  client.domainChangedAt = performance.now();
  client.history = [...client.history.filter((id) => id !== site.id), site.id].slice(-MAX_HISTORY);
}

const MAX_HISTORY = 30;
const MAX_GONE = 12;
const MAX_REPEATABLE = 4;
const MAX_REVOKED = 3;

export function newClient(name: string, account: string, key: string, random: () => number): Client {
  return {
    name,
    account,
    key,
    random,
    lastNumber: 0,
    domain: `torture-${name}.localhost`,
    shown: null,
    history: [],
    domainUncertain: false,
    domainChangedAt: 0,
    sites: [],
    gone: [],
    orders: [],
    repeatable: [],
    revoked: [],
    changes: [],
  };
}

/** Records that a deletion was acknowledged. */
export function markDeleted(client: Client, site: Site): void {
  site.state = 'deleted';
  site.changedAt = performance.now();
  client.sites = client.sites.filter((other) => other !== site);
  keepLast(client.gone, site, MAX_GONE);
}

export const keepRepeatable = (client: Client, order: Order): void =>
  keepLast(client.repeatable, order, MAX_REPEATABLE);
export const keepRevoked = (client: Client, secret: string): void => keepLast(client.revoked, secret, MAX_REVOKED);

function keepLast<T>(list: T[], item: T, max: number): void {
  list.push(item);
  if (list.length > max) list.shift();
}

/** Picks an element; `undefined` of an empty list. */
export function pick<T>(random: () => number, list: readonly T[]): T | undefined {
  return list[Math.floor(random() * list.length)];
}
