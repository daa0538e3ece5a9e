import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { yieldEvents } from '../progress.ts';
import { decide, wakeAt } from './decide.ts';
import type { WatchEvent } from './events.ts';
import type { WatchFolderInput, WatchOptions } from './input.ts';
import { createPublisher, PUBLISHER_PARTS, type PublisherParts } from './publisher.ts';
import { WATCH_RULE } from './rule.ts';
import { createWatchState, type Effect, type WatchInput } from './state.ts';
import { createWatcher, type Watcher } from './watcher.ts';

/** The parts of a watch. Tests replace them to cause rare situations. */
export interface WatchParts extends PublisherParts {
  createWatcher: typeof createWatcher;
}

const DEFAULT_PARTS: WatchParts = { ...PUBLISHER_PARTS, createWatcher };

/**
 * Publishes a folder, and publishes it again each time it has changed and is settled: one build, one deploy.
 *
 * - With a `domain`, each deployment is linked to it, in one step for visitors. Without one, each deployment has a link of its
 *   own: a watch never uses a domain of the account that the caller did not name.
 * - A folder that is missing, empty, half written, or the same as what is live is not published.
 * - One deploy runs at a time. Changes during a deploy are published next, in their newest state.
 * - If the server cannot be reached, the watch retries after growing pauses, and publishes the newest state.
 * - The deployments have a label. Only the newest with this label are kept; see {@link WatchFolderInput.keep}.
 *
 * The watch runs until its signal is aborted or its iterator is closed. Either one aborts a running deploy; afterwards, that
 * deployment is live as a whole or not at all. When the generator has returned, no work is left running.
 *
 * @throws ClientError `signed-out` without a key; `refused` if there are too many labels to add that of the watch, `keep` is
 *   below 1, or the password is invalid.
 * Source: the watch rule.
 */
export async function* watchFolder(
  input: WatchFolderInput,
  options: WatchOptions = {},
  parts: Partial<WatchParts> = {},
): AsyncGenerator<WatchEvent, void, undefined> {
  const watched = { ...input, folder: resolve(input.folder) };
  try {
    yield* yieldEvents<WatchEvent, void>(options.signal, (emit, signal) =>
      run(watched, { ...options, signal }, { ...DEFAULT_PARTS, ...parts }, emit),
    );
  } catch (error) {
    if (options.signal?.aborted !== true) throw error;
  }
}

/** Runs the watch until the signal is aborted. */
async function run(
  input: WatchFolderInput,
  options: WatchOptions & { signal: AbortSignal },
  parts: WatchParts,
  emit: (event: WatchEvent) => void,
): Promise<void> {
  const { signal } = options;
  const rule = { ...WATCH_RULE, ...options.rule };
  const publisher = createPublisher(input, options, parts, emit);
  const ended = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => ended.resolve(), { once: true });
  const tasks = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;

  const handleInput = (watchInput: WatchInput): void => {
    if (signal.aborted) return;
    const { state: next, effects } = decide(state, watchInput, performance.now(), rule);
    state = next;
    for (const effect of effects)
      if (effect.do === 'emit') emit(effect.event);
      else startEffect(effect);
    clearTimeout(timer);
    const waitMs = Math.max(0, wakeAt(state, rule) - performance.now());
    if (waitMs < Number.POSITIVE_INFINITY) timer = setTimeout(handleInput, waitMs, { type: 'woken' });
  };

  const startEffect = (effect: Exclude<Effect, { do: 'emit' }>): void => {
    const task = perform(effect)
      .catch(ended.reject)
      .finally(() => tasks.delete(task));
    tasks.add(task);
  };

  const perform = async (effect: Exclude<Effect, { do: 'emit' }>): Promise<void> => {
    switch (effect.do) {
      case 'scan':
        return handleInput(await publisher.scan());
      case 'publish':
        return afterPublish(await publisher.publish());
      case 'restart-watcher':
        watcher = watcher.then(async (before) => {
          await before.close();
          return startWatcher();
        });
        await watcher;
        return;
      default:
        return effect satisfies never;
    }
  };

  const afterPublish = async (watchInput: WatchInput): Promise<void> => {
    handleInput(watchInput);
    if (watchInput.type !== 'failed') await publisher.prune();
  };

  const startWatcher = (): Promise<Watcher> =>
    parts.createWatcher(
      input.folder,
      {
        changed: () => handleInput({ type: 'changed' }),
        failed: (error) => handleInput({ type: 'watcher-failed', error }),
      },
      signal,
    );

  let state = createWatchState(await publisher.readCachedLive(), performance.now());
  // Set before the watcher has started: it can report a failure while it starts.
  let watcher = startWatcher();
  try {
    await watcher;
    emit({ type: 'watching', folder: input.folder, domain: input.domain ?? null });
    for (const [event, wantsAnswer] of [
      ['look', false],
      ['publish', true],
    ] as const)
      options.nudges?.addEventListener(event, () => handleInput({ type: 'nudged', wantsAnswer }), { signal });
    handleInput({ type: 'woken' });
    await ended.promise;
  } finally {
    clearTimeout(timer);
    await Promise.all(tasks);
    await watcher.then((last) => last.close()).catch(() => {});
  }
}
