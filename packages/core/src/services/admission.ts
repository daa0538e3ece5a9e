import type { Caller, Core } from '../core.ts';
import { ServiceError } from '../errors.ts';
import {
  authenticate,
  authenticateSession,
  callerOf,
  type CredentialRow,
  FIND_CREDENTIAL,
  readCredential,
} from './authentication.ts';
import { gather } from './gather.ts';
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
  select caller.*, bucket.*
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
  const { header, session, address, cost } = arrival;
  const secret = session === undefined ? header && readCredential(header) : session;
  if (!core.rateLimits || !secret) return admitInSteps(core, arrival);
  const admitAll =
    session === undefined
      ? (costs: number[]) => admitAtOnce(core, { address, costs, secret }, BY_CREDENTIAL)
      : (costs: number[]) => admitAtOnce(core, { address, costs, secret }, BY_SESSION);
  return gather(core, `${session === undefined} ${secret} ${address}`, cost, admitAll);
}

/** The requests with one secret from one address, in the order in which they arrived. */
interface Arrivals {
  address: string;
  /** The tokens that each request costs. */
  costs: readonly number[];
  secret: string;
}

/**
 * Identifies the caller and counts the requests with one statement, because nearly every request of the API does both. If the
 * bucket has not enough tokens for all requests, each request is counted alone.
 */
async function admitAtOnce<Row extends { account: string }>(
  core: Core,
  { address, costs, secret }: Arrivals,
  by: Identification<Row>,
): Promise<Admission[]> {
  const limit = core.rateLimits!.global;
  const total = sum(costs);
  const { result, taken } = await identifyAndCount(core, { address, cost: total, secret }, by);
  if (taken?.taken === false && costs.length > 1) return admitOneByOne(core, { address, costs, secret }, by);
  return costs.map((_, position) => {
    if (taken === null) return decide(result, address, null);
    // The bucket as it was after this request, and before the later ones.
    const [laterTokens] = bucketValues(limit, sum(costs.slice(position + 1)));
    const rate = stateOf({ ...taken, untilFull: taken.untilFull - laterTokens }, limit, costs[position]!);
    return decide(result, address, countRefusal('global', rate));
  });
}

/** Like {@link admitAtOnce}. Once a request was rejected for its rate, others that cost as much are rejected with it. */
async function admitOneByOne<Row extends { account: string }>(
  core: Core,
  { address, costs, secret }: Arrivals,
  by: Identification<Row>,
): Promise<Admission[]> {
  const admissions: Admission[] = [];
  let refused: { cost: number; admission: Admission } | null = null;
  for (const cost of costs) {
    if (refused !== null && cost >= refused.cost) {
      countRefusal('global', refused.admission.rate!);
      admissions.push(refused.admission);
      continue;
    }
    const [admission] = await admitAtOnce(core, { address, costs: [cost], secret }, by);
    admissions.push(admission!);
    if (admission!.rate?.allowed === false) refused = { cost, admission: admission! };
  }
  return admissions;
}

/** @returns The caller or the refusal, and what was taken; `null` if no bucket could pay, or during an outage. */
async function identifyAndCount<Row extends { account: string }>(
  core: Core,
  { address, cost, secret }: Pick<Arrival, 'address' | 'cost'> & { secret: string },
  { statement, callerOf: toCaller }: Identification<Row>,
): Promise<{ result: Identified; taken: BucketRow | null }> {
  const now = core.now();
  let bucket: BucketRow | null = null;
  const result = await callerOrRefusal(async () => {
    const addressKey = address === '' ? null : bucketKey('global', `address:${address}`);
    const values = [secretHash(secret), now.toISOString(), addressKey, ...bucketValues(core.rateLimits!.global, cost)];
    const [row] = await core.database.prepared<Row & BucketRow>(statement, values);
    // The row has only nulls of what was not found.
    const { account, taken, untilFull } = row as { account: string | null; taken: boolean | null } & Row & BucketRow;
    if (taken !== null) bucket = { taken, untilFull };
    return toCaller(core, account === null ? undefined : row, now, address);
  });
  return { result, taken: bucket };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

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
