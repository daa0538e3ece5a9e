import type { Client, HostileRequest, World } from './world.ts';

/** How fast requests are sent: so many at once, then so many a second. */
export interface Pace {
  burst: number;
  perSecond: number;
}

/**
 * What the default limits let one address or account call, and as much again: the burst empties the bucket of 600, which
 * refills by 10 a second, so that half of what follows is refused.
 */
export const CALLS: Pace = { burst: 600, perSecond: 20 };
/** Visits are not limited. */
export const VISITS: Pace = { burst: 600, perSecond: 200 };

/** Sends what comes n-th, counted from 0, and waits for its answer. */
export type Step = (n: number) => Promise<unknown>;

/** One kind of hostile request. */
export interface Input {
  /** The finding it comes from, or its kind: `--only` selects by it. */
  id: string;
  what: string;
  /** Default: {@link CALLS}. */
  pace?: Pace;
  /** Makes what is needed first. It is not measured. */
  prepare(world: World, client: Client): Step | Promise<Step>;
}

/** An input that sends one request over and over. */
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

/** An element of a JSON array, so often that the array has about so many bytes. */
export function listOf(element: string, bytes: number): string {
  return `[${element}${`,${element}`.repeat(Math.floor(bytes / (element.length + 1)) - 1)}]`;
}
