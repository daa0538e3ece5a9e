import type { WatchEvent } from '../../src/watch/events.ts';
import type { WatchFolderInput, WatchOptions } from '../../src/watch/input.ts';
import { watchFolder, type WatchParts } from '../../src/watch/watch-folder.ts';

type Type = WatchEvent['type'];
type EventOf<T extends Type> = Extract<WatchEvent, { type: T }>;

/** A watch that runs until it is stopped. */
export interface RunningWatch {
  /** All events so far. */
  readonly events: readonly WatchEvent[];
  /** The next event of a type, after the last one returned. Rejects with the events so far if the watch ends before. */
  next<T extends Type>(type: T): Promise<EventOf<T>>;
  /** The number of events of a type. */
  count(type: Type): number;
  /** Aborts the watch. Resolves when it has returned. */
  stop(): Promise<void>;
}

/** Runs a watch with a short quiet period. */
export function startWatch(
  input: WatchFolderInput,
  { rule, ...options }: Omit<WatchOptions, 'signal'> = {},
  parts: Partial<WatchParts> = {},
): RunningWatch {
  const stopping = new AbortController();
  const events: WatchEvent[] = [];
  let wakeUp = Promise.withResolvers<void>();
  let position = 0;
  const running = (async () => {
    const quick = { quietMs: 100, graceMs: 300, firstPauseMs: 50, ...rule };
    for await (const event of watchFolder(input, { ...options, rule: quick, signal: stopping.signal }, parts)) {
      events.push(event);
      wakeUp.resolve();
      wakeUp = Promise.withResolvers();
    }
  })();
  const ended = running.then(() => {
    throw new Error(`The watch ended; its events are ${JSON.stringify(events.map(({ type }) => type))}`);
  });
  ended.catch(() => {});
  return {
    events,
    async next<T extends Type>(type: T) {
      for (;;) {
        for (; position < events.length; position += 1)
          if (events[position]!.type === type) return events[position++] as EventOf<T>;
        await Promise.race([wakeUp.promise, ended]);
      }
    },
    count: (type) => events.filter((event) => event.type === type).length,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
