import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { yieldEvents } from '../progress.ts';
import { decide, wakeAt } from './decide.ts';
import type { WatchEvent } from './events.ts';
import { WATCH_RULE, type WatchFolderInput, type WatchOptions, type WatchRule } from './input.ts';
import { PUBLISHER_PARTS, type PublisherParts, WatchPublisher } from './publisher.ts';
import { createWatchState, type Effect, type WatchInput } from './state.ts';
import { createWatcher, type Watcher, type WatcherEvents } from './watcher.ts';

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
 * Source: watching D1 to D9.
 */
export async function* watchFolder(
  input: WatchFolderInput,
  options: WatchOptions = {},
  parts: Partial<WatchParts> = {},
): AsyncGenerator<WatchEvent, void, undefined> {
  const watched = { ...input, folder: resolve(input.folder) };
  try {
    yield* yieldEvents<WatchEvent, void>(options.signal, (emit, signal) =>
      new WatchRun(watched, { ...options, signal }, { ...DEFAULT_PARTS, ...parts }, emit).untilAborted(),
    );
  } catch (error) {
    if (options.signal?.aborted !== true) throw error;
  }
}

/** One run of a watch: feeds inputs to {@link decide}, and performs the effects. */
class WatchRun {
  readonly #input: WatchFolderInput;
  readonly #options: WatchOptions & { signal: AbortSignal };
  readonly #parts: WatchParts;
  readonly #emit: (event: WatchEvent) => void;
  readonly #rule: WatchRule;
  readonly #publisher: WatchPublisher;
  readonly #ended = Promise.withResolvers<void>();
  readonly #tasks = new Set<Promise<void>>();
  #state = createWatchState(null, performance.now());
  #watcher!: Promise<Watcher>;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    input: WatchFolderInput,
    options: WatchOptions & { signal: AbortSignal },
    parts: WatchParts,
    emit: (event: WatchEvent) => void,
  ) {
    this.#input = input;
    this.#options = options;
    this.#parts = parts;
    this.#emit = emit;
    this.#rule = { ...WATCH_RULE, ...options.rule };
    this.#publisher = new WatchPublisher(input, options, parts, emit);
  }

  /** Runs the watch until the signal is aborted. */
  async untilAborted(): Promise<void> {
    const { folder, domain = null } = this.#input;
    const { signal } = this.#options;
    const live = await this.#publisher.readCachedLive();
    signal.addEventListener('abort', () => this.#ended.resolve(), { once: true });
    if (signal.aborted) this.#ended.resolve();
    this.#state = createWatchState(live, performance.now());
    // Set before the watcher has started: it can report a failure while it starts.
    this.#watcher = this.#startWatcher();
    try {
      await this.#watcher;
      this.#emit({ type: 'watching', folder, domain });
      this.#receiveNudges();
      this.#handle({ type: 'woken' });
      await this.#ended.promise;
    } finally {
      clearTimeout(this.#timer);
      await Promise.all(this.#tasks);
      await this.#watcher.then((last) => last.close()).catch(() => {});
    }
  }

  #receiveNudges(): void {
    const { nudges, signal } = this.#options;
    nudges?.addEventListener('look', () => this.#handle({ type: 'nudged', wantsAnswer: false }), { signal });
    nudges?.addEventListener('publish', () => this.#handle({ type: 'nudged', wantsAnswer: true }), { signal });
  }

  #handle(watchInput: WatchInput): void {
    if (this.#options.signal.aborted) return;
    const { state, effects } = decide(this.#state, watchInput, performance.now(), this.#rule);
    this.#state = state;
    for (const effect of effects)
      if (effect.do === 'emit') this.#emit(effect.event);
      else this.#start(effect);
    clearTimeout(this.#timer);
    const waitMs = Math.max(0, wakeAt(this.#state, this.#rule) - performance.now());
    if (waitMs < Number.POSITIVE_INFINITY) this.#timer = setTimeout(() => this.#handle({ type: 'woken' }), waitMs);
  }

  #start(effect: Task): void {
    const task = this.#perform(effect)
      .catch(this.#ended.reject)
      .finally(() => this.#tasks.delete(task));
    this.#tasks.add(task);
  }

  async #perform(effect: Task): Promise<void> {
    switch (effect.do) {
      case 'scan':
        return this.#handle(await this.#publisher.scan());
      case 'publish':
        return this.#publish();
      case 'restart-watcher':
        return this.#restartWatcher();
      default:
        return effect satisfies never;
    }
  }

  async #publish(): Promise<void> {
    const result = await this.#publisher.publish();
    this.#handle(result);
    if (result.type !== 'failed') await this.#publisher.prune();
  }

  async #restartWatcher(): Promise<void> {
    this.#watcher = this.#watcher.then(async (before) => {
      await before.close();
      return this.#startWatcher();
    });
    await this.#watcher;
  }

  #startWatcher(): Promise<Watcher> {
    const events: WatcherEvents = {
      changed: () => this.#handle({ type: 'changed' }),
      failed: (error) => this.#handle({ type: 'watcher-failed', error }),
    };
    return this.#parts.createWatcher(this.#input.folder, events, this.#options.signal);
  }
}

/** An effect that takes time. */
type Task = Exclude<Effect, { do: 'emit' }>;
