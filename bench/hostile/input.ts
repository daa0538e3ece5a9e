import type { Client, HostileRequest, World } from './world.ts';

/** How fast requests are sent: a burst, then a steady rate. */
export interface Pace {
  burst: number;
  perSecond: number;
}

/**
 * Twice what the default limits allow one address or account: the burst empties the bucket of 600, which refills by 10
 * a second, so that half of the following requests are rejected.
 */
export const CALLS: Pace = { burst: 600, perSecond: 20 };
/** Visits are not limited. */
export const VISITS: Pace = { burst: 600, perSecond: 200 };

/** Sends the n-th request, counted from 0, and waits for its answer. */
type Step = (n: number) => Promise<unknown>;

/** One kind of hostile request. */
export interface Input {
  /** The finding it comes from, or its kind; `--only` selects by it. */
  id: string;
  what: string;
  /** Default: {@link CALLS}. */
  pace?: Pace;
  /** Prepares what the input needs. This is not measured. */
  prepare(world: World, client: Client): Step | Promise<Step>;
}

/** An input that repeats one request. */
export function repeated(id: string, what: string, make: (world: World) => HostileRequest, pace?: Pace): Input {
  return {
    id,
    what,
    ...(pace ? { pace } : {}),
    prepare(world, client) {
      const request = make(world);
      return () => client.send(request);
    },
  };
}

/** A JSON array that repeats an element until it has about this many bytes. */
export function listOf(element: string, bytes: number): string {
  return `[${element}${`,${element}`.repeat(Math.floor(bytes / (element.length + 1)) - 1)}]`;
}
