import { setTimeout as sleep } from 'node:timers/promises';
import type { Invariant, Violations } from '../violations.ts';
import type { Http, HttpRequest, HttpResponse } from './http.ts';
import type { Tally } from './oracle.ts';

/** Thrown when the run ends before a request has a definite outcome. */
export class RunEnded extends Error {}

/** Thrown after a response that is a violation, so that the client goes on with something else. */
export class UnexpectedResponse extends Error {}

/** What requests need. */
export interface Wire {
  /** Sends requests to any node. */
  http: Http;
  /** Sends requests to one node each. */
  nodes: readonly Http[];
  violations: Violations;
  tally: Tally;
  /** Aborted when the run ends. */
  ended: AbortSignal;
}

export interface Definite {
  response: HttpResponse;
  /** Whether an earlier attempt lost its connection, so that the server may still be executing it. */
  doubtful: boolean;
}

const MIN_PAUSE_MS = 40;
const MAX_PAUSE_MS = 400;

/** The invariant of a request that names an acknowledged deployment: a 404 says that it is lost. */
export const ofAcknowledged = (status: number): Invariant => (status === 404 ? 'acknowledged-bytes' : 'answers');

/**
 * Sends a request until it has a definite outcome: repeats it after a lost connection and after 503.
 *
 * @param accepts The statuses that are right. Any other is a violation of `invariant`.
 * @param invariant Default: `answers`. A function chooses by the status.
 * @throws UnexpectedResponse, RunEnded.
 */
export async function definite(
  wire: Wire,
  title: string,
  request: () => HttpRequest,
  accepts: readonly number[],
  invariant: Invariant | ((status: number) => Invariant) = 'answers',
): Promise<Definite> {
  const { http, tally, violations, ended } = wire;
  let doubtful = false;
  for (let pauseMs = MIN_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    if (ended.aborted) throw new RunEnded();
    tally.requests += 1;
    const response = await http(request()).catch(() => null);
    if (response && response.status !== 503) {
      if (accepts.includes(response.status)) return { response, doubtful };
      const broken = typeof invariant === 'string' ? invariant : invariant(response.status);
      violations.add(broken, `${title}: ${response.status} ${response.text().slice(0, 300)}`);
      throw new UnexpectedResponse(title);
    }
    if (response) {
      tally.unavailable += 1;
      if (!(Number(response.headers['retry-after']) >= 1))
        violations.add('answers', `${title}: 503 without Retry-After`);
    } else {
      tally.lostConnections += 1;
      doubtful = true;
    }
    await sleep(pauseMs);
  }
}
