import type { Caller, Core, RateLimit } from '../core.ts';
import { ServiceError } from '../errors.ts';
import {
  authenticate,
  authenticateSession,
  callerOf,
  type CredentialRow,
  FIND_CREDENTIAL,
  readCredential,
} from './authentication.ts';
import { secretHash } from './random.ts';
import {
  bucketKey,
  type BucketRow,
  bucketValues,
  countRefusal,
  rateLimitExceeded,
  type RateLimitState,
  stateOf,
  takeRateLimit,
  takeTokens,
  WITHOUT_WAITING,
} from './rate-limits.ts';
import { FIND_SESSION, sessionCallerOf, type SessionRow } from './session-credential.ts';

/** A request before its caller is known. */
export interface Arrival {
  /** The `Authorization` header. */
  header: string | undefined;
  /** The cookie of a page of the console, `null` if it has none. Absent for requests that did not come from such a page. */
  session?: string | null;
  /** The address of the client; empty if the client has left. */
  address: string;
  /** How many tokens the request costs. */
  cost: number;
}

/** Who sent a request, or why it is rejected. */
export interface Admission {
  /** `null` if the request is rejected. */
  caller: Caller | null;
  /** Why the request is rejected: `rate_limit_exceeded`, or what {@link authenticate} throws. */
  refusal: unknown;
  /** The state of the bucket that paid; `null` if the limits are off, or none could pay. */
  rate: RateLimitState | null;
  /** The outage that kept the request from being counted; `null` for none. */
  outage: ServiceError | null;
}

/** Finds the caller and takes the tokens of the request. `$3` is the key of the bucket that pays without a valid credential. */
const admissionStatement = (find: string) => `
  with caller as materialized (${find}),
  bucket as (${takeTokens({
    key: `coalesce('${bucketKey('global', 'account:')}' || (select client from caller), $3)`,
    now: '$2',
    tokens: '$4',
    capacity: '$5',
  })})
  select caller.*, bucket.*, ${WITHOUT_WAITING}
  from (values (1)) as one left join bucket on true left join caller on true`;

/** A kind of secret that identifies callers. */
interface Identification<Row> {
  statement: string;
  /** @param row The row of the secret; `undefined` if it is unknown. */
  callerOf(core: Core, row: Row | undefined, now: Date, address: string): Promise<Caller>;
}

const BY_CREDENTIAL: Identification<CredentialRow> = {
  statement: admissionStatement(FIND_CREDENTIAL),
  callerOf,
};

const BY_SESSION: Identification<SessionRow> = {
  statement: admissionStatement(FIND_SESSION),
  callerOf: async (core, row, now, address) =>
    row === undefined ? { kind: 'anonymous', address } : sessionCallerOf(core, row, now),
};

/**
 * Identifies the caller of a request, and counts the request towards the global rate limit. The account of a valid credential pays.
 * For all other requests, the address of the client pays.
 *
 * During an outage of the database, a request without a credential is admitted without being counted, so that operations that
 * need no database still work. Never throws. Source: api §1, §7; security T27.
 */
export async function admit(core: Core, arrival: Arrival): Promise<Admission> {
  const { header, session } = arrival;
  const secret = session === undefined ? header && readCredential(header) : session;
  if (!core.rateLimits || !secret) return admitInSteps(core, arrival);
  return session === undefined
    ? admitAtOnce(core, arrival, core.rateLimits.global, secret, BY_CREDENTIAL)
    : admitAtOnce(core, arrival, core.rateLimits.global, secret, BY_SESSION);
}

/** Identifies and counts with one statement, because nearly every request of the API does both. */
async function admitAtOnce<Row extends { account: string }>(
  core: Core,
  { address, cost }: Arrival,
  limit: RateLimit,
  secret: string,
  { statement, callerOf: toCaller }: Identification<Row>,
): Promise<Admission> {
  const now = core.now();
  let rate: RateLimitState | null = null;
  const result = await callerOrRefusal(async () => {
    const addressKey = address === '' ? null : bucketKey('global', `address:${address}`);
    const values = [secretHash(secret), now.toISOString(), addressKey, ...bucketValues(limit, cost)];
    const [row] = await core.database.prepared<Row & BucketRow>(statement, values);
    // The row has only nulls of what was not found.
    const { account, taken } = row as { account: string | null; taken: boolean | null } & Row;
    if (taken !== null) rate = countRefusal('global', stateOf(row!, limit, cost));
    return toCaller(core, account === null ? undefined : row, now, address);
  });
  return decide(result, address, rate);
}

async function admitInSteps(core: Core, { header, session, address, cost }: Arrival): Promise<Admission> {
  const result = await callerOrRefusal(() =>
    session === undefined ? authenticate(core, header, address) : authenticateSession(core, session, address),
  );
  const payer =
    result.caller?.kind === 'account' ? `account:${result.caller.account}` : address && `address:${address}`;
  if (!core.rateLimits || !payer || isFault(result.refusal)) return decide(result, address, null);
  try {
    return decide(result, address, await takeRateLimit(core, 'global', payer, cost));
  } catch (thrown) {
    return thrown instanceof ServiceError
      ? { ...decide(result, address, null), outage: thrown }
      : { caller: null, refusal: thrown, rate: null, outage: null };
  }
}

type Identified = Pick<Admission, 'caller' | 'refusal'>;

async function callerOrRefusal(identify: () => Promise<Caller>): Promise<Identified> {
  try {
    return { caller: await identify(), refusal: null };
  } catch (refusal) {
    return { caller: null, refusal };
  }
}

function decide({ caller, refusal }: Identified, address: string, rate: RateLimitState | null): Admission {
  if (rate?.allowed === false) return { caller: null, refusal: rateLimitExceeded(rate), rate, outage: null };
  if (isFault(refusal) || caller?.kind === 'account' || address !== '') return { caller, refusal, rate, outage: null };
  const left = new ServiceError('request_timeout', 'The connection was closed.');
  return { caller: null, refusal: left, rate, outage: null };
}

/** Whether the caller could not be identified, so that the reason says nothing about the credential. */
function isFault(refusal: unknown): boolean {
  return refusal !== null && !(refusal instanceof ServiceError && refusal.status < 500);
}
