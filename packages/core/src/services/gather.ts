import type { Core } from '../core.ts';

/** The maximum number of calls that run together. */
const MAX_TOGETHER = 64;

interface Waiting {
  call: unknown;
  settle(result: Promise<unknown>): void;
}

/** The calls that wait for the running one, by key. A key without a running call has no entry. */
const waitingCalls = new WeakMap<Core, Map<string, Waiting[]>>();

/**
 * Makes a call at once, or together with the other calls of the same key as soon as the running one ends. A result therefore never
 * comes from work that began before its call.
 *
 * @param runAll Makes calls together. Must do the same for every call of the key. @returns One result for each call, in order.
 * @throws what `runAll` throws, to each of the calls.
 */
export function gather<Call, Result>(
  core: Core,
  key: string,
  call: Call,
  runAll: (calls: Call[]) => Promise<Result[]>,
): Promise<Result> {
  const queues = waitingCalls.get(core) ?? new Map<string, Waiting[]>();
  waitingCalls.set(core, queues);
  return new Promise<Result>((resolve) => {
    const waiting: Waiting = { call, settle: (result) => resolve(result as Promise<Result>) };
    const queue = queues.get(key);
    if (queue) {
      queue.push(waiting);
      return;
    }
    queues.set(key, []);
    void runInTurn([waiting]);
  });

  async function runInTurn(first: Waiting[]): Promise<void> {
    for (let group = first; group.length > 0; group = queues.get(key)!.splice(0, MAX_TOGETHER)) {
      const results = runAll(group.map((waiting) => waiting.call as Call));
      for (const [position, { settle }] of group.entries()) settle(results.then((all) => all[position]));
      await results.catch(() => {});
    }
    queues.delete(key);
  }
}
