import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { ClientError } from '../errors.ts';
import { yieldEvents } from '../progress.ts';
import { decide, wakeAt } from './decide.ts';
import type { WatchEvent } from './events.ts';
import { WATCH_RULE, type WatchFolderInput, type WatchOptions, type WatchRule } from './input.ts';
import { WATCH_PARTS, type WatchContext, type WatchParts, WatchPublisher } from './publisher.ts';
import { createWatchState, type Effect, type WatchInput } from './state.ts';
import type { Watcher, WatcherEvents } from './watcher.ts';

/**
 * Publishes a folder, and publishes it again each time it has changed and is settled: one build, one deploy.
 *
 * - With a `domain`, each deployment is linked to the domain. Without a `domain`, each deployment has a different link.
 * - A folder that is missing, empty, half written, or already live is not published.
 * - One deploy runs at a time. Changes during a deploy are published next, in their newest state.
 * - If the server cannot be reached, the watch retries after growing pauses, and publishes the newest state.
 * - The deployments have a label. Old deployments with this label are deleted; see {@link WatchFolderInput.keep}.
 *
 * The watch runs until its signal is aborted or its iterator is closed. Both abort a running deploy, which then has published
 * either everything or nothing. When the generator has returned, no work is left running.
 *
 * @throws ClientError `signed-out` without a key; `refused` if there are too many labels, `keep` is below 1, or the password
 *   is invalid.
 * Source: watching D1 to D9.
 */
export async function* watchFolder(
  input: WatchFolderInput,
  options: WatchOptions = {},
  parts: Partial<WatchParts> = {},
): AsyncGenerator<WatchEvent, void, undefined> {
  const context = { input: { ...input, folder: resolve(input.folder) }, parts: { ...WATCH_PARTS, ...parts } };
  try {
    yield* yieldEvents<WatchEvent, void>(options.signal, (emit, signal) =>
      new WatchRun({ ...context, options: { ...options, signal }, emit }).untilAborted(),
    );
  } catch (error) {
    if (options.signal?.aborted !== true) throw error;
  }
}

/** One run of a watch: feeds inputs to {@link decide}, and performs the effects. */
class WatchRun {
  readonly #context: WatchContext;
  readonly #rule: WatchRule;
  readonly #publisher: WatchPublisher;
  readonly #ended = Promise.withResolvers<void>();
  readonly #tasks = new Set<Promise<void>>();
  #state = createWatchState(null, performance.now());
  #watcher!: Promise<Watcher>;
  #timer: NodeJS.Timeout | undefined;

  constructor(context: WatchContext) {
    this.#context = context;
    this.#rule = { ...WATCH_RULE, ...context.options.rule };
    this.#publisher = new WatchPublisher(context);
  }

  async untilAborted(): Promise<void> {
    const { input, options, emit } = this.#context;
    const { folder, domain = null } = input;
    const { signal, nudges } = options;
    const liveVersion = await this.#publisher.readCachedLive();
    signal.addEventListener('abort', () => this.#ended.resolve(), { once: true });
    if (signal.aborted) this.#ended.resolve();
    this.#state = createWatchState(liveVersion, performance.now());
    // The field is set before the watcher is active, because the watcher can report a failure while it starts.
    this.#watcher = this.#startWatcher();
    try {
      await this.#watcher;
      emit({ type: 'watching', folder, domain });
      nudges?.addEventListener('look', () => this.#handle({ type: 'nudged', wantsEvent: false }), { signal });
      nudges?.addEventListener('publish', () => this.#handle({ type: 'nudged', wantsEvent: true }), { signal });
      this.#handle({ type: 'woken' });
      await this.#ended.promise;
    } finally {
      clearTimeout(this.#timer);
      await Promise.all(this.#tasks);
      await this.#watcher.then((last) => last.close()).catch(() => {});
    }
  }

  #handle(watchInput: WatchInput): void {
    if (this.#context.options.signal.aborted) return;
    const { state, effects } = decide(this.#state, watchInput, performance.now(), this.#rule);
    this.#state = state;
    for (const effect of effects)
      if (effect.do === 'emit') this.#context.emit(effect.event);
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
        return this.#handle(await failureAsInput(this.#publisher.scan()));
      case 'publish': {
        const result = await failureAsInput(this.#publisher.publish());
        this.#handle(result);
        if (result.type !== 'failed') await this.#publisher.prune();
        return;
      }
      case 'restart-watcher':
        this.#watcher = this.#watcher.then(async (watcher) => {
          await watcher.close();
          return this.#startWatcher();
        });
        await this.#watcher;
        return;
      default:
        return effect satisfies never;
    }
  }

  #startWatcher(): Promise<Watcher> {
    const events: WatcherEvents = {
      changed: () => this.#handle({ type: 'changed' }),
      failed: (error) => this.#handle({ type: 'watcher-failed', error }),
    };
    const { input, options, parts } = this.#context;
    return options.source?.watch(events, options.signal) ?? parts.createWatcher(input.folder, events, options.signal);
  }
}

type Task = Exclude<Effect, { do: 'emit' }>;

function failureAsInput(work: Promise<WatchInput>): Promise<WatchInput> {
  return work.catch((error: unknown) => {
    if (error instanceof ClientError) return { type: 'failed', error };
    throw error;
  });
}
