import type { WatchEvent } from '../../src/watch/events.ts';
import type { WatchFolderInput, WatchOptions } from '../../src/watch/input.ts';
import type { WatchParts } from '../../src/watch/publisher.ts';
import { watchFolder } from '../../src/watch/watch-folder.ts';

type Type = WatchEvent['type'];
type EventOf<T extends Type> = Extract<WatchEvent, { type: T }>;

export type RunningWatch = ReturnType<typeof startWatch>;

/** Runs a watch with a short quiet period until it is stopped. */
export function startWatch(
  input: WatchFolderInput,
  { rule, ...options }: Omit<WatchOptions, 'signal'> = {},
  parts: Partial<WatchParts> = {},
) {
  const stopping = new AbortController();
  const events: WatchEvent[] = [];
  let wakeUp = Promise.withResolvers<void>();
  let position = 0;
  const watchRun = (async () => {
    const quickRule = { quietMs: 100, graceMs: 300, firstPauseMs: 50, ...rule };
    for await (const event of watchFolder(input, { ...options, rule: quickRule, signal: stopping.signal }, parts)) {
      events.push(event);
      wakeUp.resolve();
      wakeUp = Promise.withResolvers();
    }
  })();
  const watchEnded = watchRun.then(() => {
    throw new Error(`The watch ended; its events are ${JSON.stringify(events.map(({ type }) => type))}`);
  });
  watchEnded.catch(() => {});
  return {
    events: events as readonly WatchEvent[],
    /** Returns the next event of a type that was not returned before. Rejects if the watch ends before such an event. */
    async next<T extends Type>(type: T): Promise<EventOf<T>> {
      for (;;) {
        for (; position < events.length; position += 1)
          if (events[position]!.type === type) return events[position++] as EventOf<T>;
        await Promise.race([wakeUp.promise, watchEnded]);
      }
    },
    count: (type: Type) => events.filter((event) => event.type === type).length,
    /** Aborts the watch, and waits until the watch has ended. */
    async stop(): Promise<void> {
      stopping.abort();
      await watchRun;
    },
  };
}
