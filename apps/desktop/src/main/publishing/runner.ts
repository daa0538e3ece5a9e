import { existsSync } from 'node:fs';
import {
  type BerthClient,
  ClientError,
  onDriveWithin,
  type RetryPolicy,
  type WatchRule,
  type FolderDisk,
} from '@berth/client';
import type { Problem } from '../../shared/problem.ts';
import type { Publishing } from '../../shared/publishing.ts';
import type { Accounts } from '../account/accounts.ts';
import type { Emit } from '../backend.ts';
import { DRIVE_LIMIT_MS } from '../drive-limits.ts';
import type { Grants } from '../grants.ts';
import type { NextDrop } from '../next-drop.ts';
import type { Notifications } from '../notifications.ts';
import type { Builds } from '../projects/builds.ts';
import type { SiteFolders } from '../sites/site-folders.ts';
import type { ProgressView } from '@berth/client/progress-view';
import type { BuildRun } from '../projects/run-build.ts';
import type { StoreOptions } from '../storage/json-file.ts';
import { type AttemptInput, attemptPublishing } from './attempt.ts';
import { type Entry, liveOf, type StoredState } from './entry.ts';
import { nextStepAfter } from './next-step.ts';
import type { PublishingList } from './publishing-list.ts';
import type { RunJob } from './publish-queue.ts';
import type { Staging } from './staging.ts';
import type { ThrottledEvent } from './throttled-event.ts';

/** Keeps attempts short while the server cannot be reached, because only pauses in the queue can be cut short. */
const SHORT_RETRIES = { attempts: 4, withinMs: 10_000 };

/** The dependencies and options of publishing. */
export interface PublishingOptions extends StoreOptions {
  accounts: Accounts;
  grants: Grants;
  nextDrop: NextDrop;
  notifications: Pick<Notifications, 'copyLink' | 'expiresSoon' | 'failed' | 'published'>;
  /** Sends an event to the page. */
  emit: Emit;
  /** False until the user has chosen a server. */
  isReady(): boolean;
  /** The folder for cached hashes, unfinished uploads and copies of dropped files. */
  cacheDir: string;
  disk?: FolderDisk | undefined;
  rule: WatchRule;
  retries?: Partial<RetryPolicy> | undefined;
  /** The absolute paths of the watched folders. */
  watchedPaths(): readonly string[];
  /** The domain of the watched folder at a path; `null` for none. */
  watchedDomain(server: string, path: string): string | null;
  /** Publishes a watched folder now. Resolves to false if no watched folder of the server has the path. */
  publishWatched(server: string, path: string): Promise<boolean>;
  /** Shows a folder in the file manager. */
  showFolder(path: string): void;
  /** Remembers the folders that were published. */
  siteFolders: SiteFolders;
  builds: Builds;
  /** Called with the whole list, newest first, when it changes. */
  onChange(publishings: Publishing[]): void;
  /** Called with problems that belong to no publish job. */
  onProblem(problem: Problem): void;
}

export interface RunnerOptions extends PublishingOptions {
  list: PublishingList;
  staging: Staging;
  listEvent: ThrottledEvent;
  /** The passwords of unfinished publish jobs, by id. */
  passwords: Map<string, string>;
}

/** Publishes an entry and stores the result. The queue calls {@link Runner.run} for each job. */
export class Runner {
  readonly #options: RunnerOptions;
  /** The number of consecutive failed attempts, by id. */
  readonly #failures = new Map<string, number>();
  /** The publish jobs whose build has succeeded. */
  readonly #built = new Set<string>();

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  readonly run: RunJob = async (id, signal) => {
    const { accounts, notifications, list, rule } = this.#options;
    const entry = list.get(id);
    const outcome = await attemptPublishing(this.#inputOf(entry), signal);
    if (outcome.progressed) this.#failures.delete(id);
    accounts.reportFailure(entry.server, outcome.failure);
    // The publish job stays unfinished and resumes at the next start.
    if (signal.reason === 'closed' && outcome.failure !== null) return null;
    const nextStep = nextStepAfter(entry, outcome, this.#failures.get(id) ?? 0, rule, Date.now());
    if (nextStep.is === 'paused') return this.#pause(id, nextStep, outcome.view);
    const state =
      nextStep.is === 'published'
        ? {
            is: nextStep.is,
            published: { ...nextStep.published, copied: await notifications.copyLink(nextStep.published.url) },
          }
        : nextStep.state;
    await this.#finish(entry, state, outcome.view);
    return null;
  };

  #inputOf(entry: Entry): AttemptInput {
    const { accounts, list, listEvent, passwords, cacheDir, disk, retries } = this.#options;
    const { id } = entry;
    return {
      client: () => clientFor(entry, accounts),
      folder: (engineSignal) => this.#findFolder(entry, engineSignal),
      options: { ...entry.options, password: passwords.get(id) ?? null },
      live: liveOf(entry),
      keep(deployment) {
        list.change(id, { state: { is: 'unfinished', deployment } });
        return list.saved();
      },
      cacheDir,
      disk,
      retries: { ...SHORT_RETRIES, ...retries },
      show(view) {
        list.update(id, { view });
        listEvent.emitSoon();
      },
    };
  }

  async #findFolder({ id, source }: Entry, signal: AbortSignal): Promise<string> {
    const { list, staging } = this.#options;
    if (source.kind === 'folder') {
      await this.#build(id, source.build, signal);
      await checkDrives([source.path]);
      return source.path;
    }
    // The system may have deleted the cached copy to free space.
    if (source.staged && existsSync(staging.folderOf(id))) return staging.folderOf(id);
    await checkDrives(source.paths);
    const folder = await staging.stage(id, source.paths, signal);
    list.change(id, { source: { ...source, staged: true } });
    return folder;
  }

  /** Runs the build of a project, unless it has succeeded in an earlier attempt of the publish job. */
  async #build(id: string, build: BuildRun | undefined, signal: AbortSignal): Promise<void> {
    const { builds, list, listEvent } = this.#options;
    if (build === undefined || this.#built.has(id)) return;
    await builds.run(build, signal, (output) => {
      list.update(id, { build: output });
      listEvent.emitSoon();
    });
    this.#built.add(id);
  }

  /** Counts a failed attempt and shows when the next one begins. @returns The pause until then, in milliseconds. */
  #pause(id: string, { pauseMs, reason }: { pauseMs: number; reason: string }, view: ProgressView): number {
    const { list, listEvent } = this.#options;
    const attempt = (this.#failures.get(id) ?? 0) + 1;
    this.#failures.set(id, attempt);
    const progress = { phase: 'retrying', attempt, at: Date.now() + pauseMs, reason } as const;
    list.update(id, { view: { ...view, progress } });
    listEvent.emitNow();
    return pauseMs;
  }

  async #finish({ id, name, source }: Entry, state: StoredState, { leftOut }: ProgressView): Promise<void> {
    const { notifications, list, staging, listEvent, passwords, siteFolders } = this.#options;
    this.#failures.delete(id);
    this.#built.delete(id);
    if (state.is === 'published') passwords.delete(id);
    list.update(id, { view: null });
    const withoutCopy = source.kind === 'files' ? { ...source, staged: false } : source;
    list.change(id, { state, source: withoutCopy, leftOut });
    listEvent.emitNow();
    if (state.is === 'published') notifications.published(id, name, state.published);
    if (state.is === 'published' && source.kind === 'folder') {
      const { server, deployment, domain } = state.published;
      siteFolders.remember({ server, deployment, domain, path: source.path });
    }
    if (state.is === 'failed') notifications.failed(id, name, state.problem);
    // The stored entry must say that there is no copy before the copy is removed.
    await list.saved();
    if (source.kind === 'files') await staging.remove(id).catch(() => {});
  }
}

/** Makes sure that drives respond, so that a silent drive does not block the queue. @throws ClientError `folder` otherwise. */
async function checkDrives(paths: readonly string[]): Promise<void> {
  await Promise.all(paths.map((path) => onDriveWithin(path, DRIVE_LIMIT_MS, async () => {})));
}

/**
 * Finds the client that publishes an entry: anonymous if the user was signed out when the publish job began, otherwise with the
 * key of the current account.
 *
 * @throws ClientError `signed-out` when an entry of an account would be published anonymously; `refused` when the server was
 *   removed.
 */
function clientFor({ server, anonymous }: Entry, accounts: Accounts): BerthClient {
  if (anonymous) return accounts.anonymousClient(server);
  const client = accounts.client(server);
  if (client.key !== null) return client;
  throw new ClientError('signed-out', `You are no longer signed in to ${new URL(server).host}.`);
}
