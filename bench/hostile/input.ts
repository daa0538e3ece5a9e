import type { Client, HostileRequest, World } from './world.ts';

/** The pace of requests: a burst, then a steady rate. */
export interface Pace {
  burst: number;
  perSecond: number;
}

/**
 * Twice what the default limits allow one address or account: the burst uses up the limit of 600 requests, which
 * recovers by 10 a second, so that half of the later requests are refused.
 */
export const CALL_PACE: Pace = { burst: 600, perSecond: 20 };
/** The pace of visits, which have no limit. */
export const VISIT_PACE: Pace = { burst: 600, perSecond: 200 };

/** Sends the n-th request, counted from 0, and waits for the response. */
type Step = (n: number) => Promise<unknown>;

/** One kind of hostile request. */
export interface Input {
  /** A finding that the input repeats, such as `S2`, or a kind, such as `heads`. `--only` selects inputs by this id. */
  id: string;
  label: string;
  /** The pace of the requests. Default: {@link CALL_PACE}. */
  pace?: Pace;
  /** Prepares the input. The preparation is not measured. */
  prepare(world: World, client: Client): Step | Promise<Step>;
}

/** Creates an input that repeats one request. */
export function repeatedInput(
  id: string,
  label: string,
  makeRequest: (world: World) => HostileRequest,
  pace?: Pace,
): Input {
  return {
    id,
    label,
    ...(pace ? { pace } : {}),
    prepare(world, client) {
      const request = makeRequest(world);
      return () => client.send(request);
    },
  };
}

/** Returns a JSON array that repeats an element until it has about this many bytes. */
export function listOf(element: string, bytes: number): string {
  return `[${element}${`,${element}`.repeat(Math.floor(bytes / (element.length + 1)) - 1)}]`;
}
