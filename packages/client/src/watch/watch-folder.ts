import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { withEvents } from '../progress.ts';
import { decide, wakeAt } from './decide.ts';
import type { WatchEvent } from './events.ts';
import type { WatchFolderInput, WatchOptions } from './input.ts';
import { createPublisher, PUBLISHER_PARTS, type PublisherParts } from './publisher.ts';
import { WATCH_RULE } from './rule.ts';
import { beginWatch, type Effect, type WatchInput } from './state.ts';
import { createWatcher, type Watcher } from './watcher.ts';

/** The parts of a watch. Tests replace them to cause rare situations. */
export interface WatchParts extends PublisherParts {
  createWatcher: typeof createWatcher;
}

const PARTS: WatchParts = { ...PUBLISHER_PARTS, createWatcher };

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
    yield* withEvents<WatchEvent, void>(options.signal, (tell, signal) =>
      run(watched, { ...options, signal }, { ...PARTS, ...parts }, tell),
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
  tell: (event: WatchEvent) => void,
): Promise<void> {
  const { signal } = options;
  const rule = { ...WATCH_RULE, ...options.rule };
  const publisher = createPublisher(input, options, parts, tell);
  const over = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => over.resolve(), { once: true });
  const tasks = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;

  const take = (happening: WatchInput): void => {
    if (signal.aborted) return;
    const { state: next, effects } = decide(state, happening, performance.now(), rule);
    state = next;
    for (const effect of effects)
      if (effect.do === 'emit') tell(effect.event);
      else start(effect);
    clearTimeout(timer);
    const waitMs = Math.max(0, wakeAt(state, rule) - performance.now());
    if (waitMs < Number.POSITIVE_INFINITY) timer = setTimeout(take, waitMs, { type: 'woken' });
  };

  const start = (effect: Exclude<Effect, { do: 'emit' }>): void => {
    const task = perform(effect)
      .catch(over.reject)
      .finally(() => tasks.delete(task));
    tasks.add(task);
  };

  const perform = async (effect: Exclude<Effect, { do: 'emit' }>): Promise<void> => {
    switch (effect.do) {
      case 'scan':
        return take(await publisher.look());
      case 'publish':
        return published(await publisher.publish());
      case 'restart-watcher':
        watcher = watcher.then(async (before) => {
          await before.close();
          return listen();
        });
        await watcher;
        return;
      default:
        return effect satisfies never;
    }
  };

  const published = async (happening: WatchInput): Promise<void> => {
    take(happening);
    if (happening.type !== 'failed') await publisher.prune();
  };

  const listen = (): Promise<Watcher> =>
    parts.createWatcher(
      input.folder,
      {
        changed: () => take({ type: 'changed' }),
        failed: (error) => take({ type: 'watcher-failed', error }),
      },
      signal,
    );

  let state = beginWatch(await publisher.remembered(), performance.now());
  // Set before the watcher has started: it can report a failure while it starts.
  let watcher = listen();
  try {
    await watcher;
    tell({ type: 'watching', folder: input.folder, domain: input.domain ?? null });
    for (const [event, asked] of [
      ['look', false],
      ['publish', true],
    ] as const)
      options.nudges?.addEventListener(event, () => take({ type: 'nudged', wantsAnswer: asked }), { signal });
    take({ type: 'woken' });
    await over.promise;
  } finally {
    clearTimeout(timer);
    await Promise.all(tasks);
    await watcher.then((last) => last.close()).catch(() => {});
  }
}
