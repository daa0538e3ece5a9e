import { setTimeout as sleep } from 'node:timers/promises';
import { ClientError, onDriveWithin, type Watcher, type WatcherEvents, type WatchSource } from '@berth/client';
import { watchSources } from '@berth/client/project';
import type { BuildOutput } from '../../shared/publishing.ts';
import { DRIVE_LIMIT_MS } from '../drive-limits.ts';
import type { Builds } from './builds.ts';
import type { BuildRun } from './run-build.ts';

/** How long after a build its last changes may be reported, in milliseconds. */
const LATE_NOTIFICATIONS_MS = 200;
/** How many builds may follow a build during which sources have changed. More would not end if a build changes sources itself. */
const MAX_FOLLOW_UPS = 3;

interface BuiltFolderOptions {
  build: BuildRun;
  /** The folder that the build writes. */
  folder: string;
  builds: Pick<Builds, 'run'>;
  /** How long the sources must not change before they are built, in milliseconds. */
  quietMs: number;
  /** Called with the end of the output whenever it has changed. */
  onOutput(output: BuildOutput): void;
}

/**
 * The folder that the build of a project writes. Builds when the watch begins, on request, and each time the sources have changed.
 * The folder is not scanned during a build, nor after a build that failed.
 */
export class BuiltFolder implements WatchSource {
  readonly #options: BuiltFolderOptions;
  readonly #signal: AbortSignal;
  /** Sources that the build itself writes: they have changed during two builds in a row. */
  readonly #written = new Set<string>();
  #changedMeanwhile = new Set<string>();
  #events: WatcherEvents | null = null;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | null = null;
  #failure: ClientError | null = null;
  /** Stays, because nothing reports changes any longer. */
  #watchFailure: ClientError | null = null;

  /** @param signal Ends the running build. No other build starts. */
  constructor(options: BuiltFolderOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    signal.addEventListener('abort', () => clearTimeout(this.#timer), { once: true });
  }

  async watch(events: WatcherEvents, signal: AbortSignal): Promise<Watcher> {
    const isFirst = this.#events === null;
    this.#events = events;
    const { build, folder } = this.#options;
    const sourceEvents: WatcherEvents = {
      changed: (path) => this.#changed(path),
      failed: ({ message }) => {
        this.#watchFailure = new ClientError('refused', `The sources of this project cannot be watched: ${message}`);
        events.changed(folder);
      },
    };
    const watcher = await watchSources(build.root, folder, sourceEvents, signal);
    if (isFirst) this.request();
    return watcher;
  }

  async ready(): Promise<void> {
    await this.#running;
    const failure = this.#watchFailure ?? this.#failure;
    if (failure !== null) throw failure;
  }

  /** Builds now, unless a build is running. */
  request(): void {
    clearTimeout(this.#timer);
    if (this.#signal.aborted || this.#running !== null) return;
    this.#running = this.#build().finally(() => {
      this.#running = null;
      this.#events?.changed(this.#options.folder);
    });
  }

  #changed(path: string): void {
    if (this.#running !== null) this.#changedMeanwhile.add(path);
    else if (!this.#written.has(path)) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.request(), this.#options.quietMs);
    }
  }

  /** Builds until no source has changed during the last build. */
  async #build(): Promise<void> {
    let earlier: ReadonlySet<string> = new Set();
    for (let builds = 0; builds <= MAX_FOLLOW_UPS; builds += 1) {
      this.#changedMeanwhile = new Set();
      this.#failure = await this.#runOnce();
      await sleep(LATE_NOTIFICATIONS_MS, undefined, { signal: this.#signal }).catch(() => {});
      for (const path of this.#changedMeanwhile.intersection(earlier)) this.#written.add(path);
      earlier = this.#changedMeanwhile;
      if (this.#signal.aborted || earlier.isSubsetOf(this.#written)) return;
    }
  }

  /** @returns The error of a build that failed. A project that is missing is not built, so that its folder is reported as missing. */
  async #runOnce(): Promise<ClientError | null> {
    const { build, builds, onOutput } = this.#options;
    try {
      if (await isFolder(build.root)) await builds.run(build, this.#signal, onOutput);
      return null;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      // Trying again without a change would not help, so the error is one that is not retried.
      return new ClientError('refused', message, { cause: error });
    }
  }
}

function isFolder(path: string): Promise<boolean> {
  return onDriveWithin(path, DRIVE_LIMIT_MS, async (stats) => stats?.isDirectory() === true);
}
