import { existsSync } from 'node:fs';
import {
  type BerthClient,
  ClientError,
  createClient,
  onDriveWithin,
  type RetryPolicy,
  type WatchRule,
} from '@berth/client';
import type { Problem } from '../../shared/problem.ts';
import type { Publishing } from '../../shared/publishing.ts';
import type { Accounts } from '../account/accounts.ts';
import { ANSWER_WITHIN_MS } from '../drive-limits.ts';
import type { Grants } from '../grants.ts';
import type { NextDrop } from '../next-drop.ts';
import type { Notifications } from '../notifications.ts';
import { initialProgress, type ProgressView } from '../progress.ts';
import type { StoreOptions } from '../storage/json-file.ts';
import { attemptPublishing } from './attempt.ts';
import { type Entry, liveOf, type StoredState, withoutCopy } from './entry.ts';
import { type NextStep, nextStepAfter } from './next-step.ts';
import type { PublishingList } from './publishing-list.ts';
import type { RunJob } from './publish-queue.ts';
import type { Staging } from './staging.ts';
import type { ThrottledEvent } from './throttled-event.ts';

/** Keeps attempts short while the server cannot be reached: a pause in the queue can be cut short, one in an attempt cannot. */
const SHORT_RETRIES = { attempts: 4, withinMs: 10_000 };

/** The dependencies and options of publishing. */
export interface PublishingOptions extends StoreOptions {
  accounts: Accounts;
  grants: Grants;
  nextDrop: NextDrop;
  notifications: Pick<Notifications, 'copyLink' | 'failed' | 'published'>;
  /** The folder for cached hashes, unfinished uploads and copies of dropped files. */
  cacheDir: string;
  /** The pauses before retries. */
  rule: WatchRule;
  retries?: Partial<RetryPolicy> | undefined;
  /** The absolute paths of the watched folders. */
  watchedPaths(): readonly string[];
  /** Called with the whole list, newest first, when it changes. */
  onChange(publishings: Publishing[]): void;
  /** Called with problems that belong to no publishing. */
  onProblem(problem: Problem): void;
}

export interface PublishingRunnerOptions extends PublishingOptions {
  list: PublishingList;
  staging: Staging;
  listEvent: ThrottledEvent;
  /** The passwords of unfinished publishings, by id. */
  passwords: Map<string, string>;
}

/** Runs the jobs of the queue: publishes an entry and stores the result. */
export class PublishingRunner {
  readonly #options: PublishingRunnerOptions;
  /** The number of consecutive failed attempts, by id. */
  readonly #failures = new Map<string, number>();

  constructor(options: PublishingRunnerOptions) {
    this.#options = options;
  }

  readonly run: RunJob = async (id, signal) => {
    const { list, passwords, accounts, cacheDir, rule } = this.#options;
    const entry = list.get(id);
    let view: ProgressView | null = null;
    const outcome = await attemptPublishing(
      {
        client: () => clientFor(entry, accounts),
        folder: (engine) => this.#folderOf(entry, engine),
        options: { ...entry.options, password: passwords.get(id) ?? null },
        live: liveOf(entry),
        keep(deployment) {
          list.change(id, { state: { is: 'unfinished', deployment } });
          return list.saved();
        },
        cacheDir,
        retries: { ...SHORT_RETRIES, ...this.#options.retries },
        show: (next) => {
          view = next;
          this.#show(id, next);
        },
      },
      signal,
    );
    if (outcome.progressed) this.#failures.delete(id);
    accounts.reportFailure(entry.server, outcome.failure);
    // It stays unfinished and resumes at the next start.
    if (signal.reason === 'closed' && outcome.failure !== null) return null;
    return this.#act(entry, nextStepAfter(entry, outcome, this.#failures.get(id) ?? 0, rule, Date.now()), view);
  };

  #show(id: string, view: ProgressView): void {
    const { list, listEvent } = this.#options;
    list.update(id, { view });
    listEvent.emitSoon();
  }

  async #folderOf({ id, source }: Entry, signal: AbortSignal): Promise<string> {
    const { list, staging } = this.#options;
    if (source.kind === 'folder') {
      await awaitDrives([source.path]);
      return source.path;
    }
    // The system may have deleted the cached copy to free space.
    if (source.staged && existsSync(staging.folderOf(id))) return staging.folderOf(id);
    await awaitDrives(source.paths);
    const folder = await staging.stage(id, source.paths, signal);
    list.change(id, { source: { ...source, staged: true } });
    return folder;
  }

  async #end(entry: Entry, state: StoredState, view: ProgressView | null): Promise<void> {
    const { list, staging, listEvent, passwords } = this.#options;
    const { id, name, source } = entry;
    this.#failures.delete(id);
    if (state.is === 'published') passwords.delete(id);
    list.update(id, { view: null });
    list.change(id, { state, source: withoutCopy(source), leftOut: view?.leftOut ?? [] });
    listEvent.emitNow();
    if (state.is === 'published') this.#options.notifications.published(name, state.published);
    if (state.is === 'failed') this.#options.notifications.failed(id, name, state.problem);
    // The stored entry must say that there is no copy before the copy is removed.
    await list.saved();
    if (source.kind === 'files') await staging.remove(id).catch(() => {});
  }

  async #act(entry: Entry, step: NextStep, view: ProgressView | null): Promise<number | null> {
    const { list, listEvent } = this.#options;
    const { id } = entry;
    if (step.is === 'paused') {
      const attempt = (this.#failures.get(id) ?? 0) + 1;
      this.#failures.set(id, attempt);
      const at = Date.now() + step.pauseMs;
      const progress = { phase: 'retrying', attempt, at, reason: step.reason } as const;
      list.update(id, { view: { ...(view ?? initialProgress()), progress } });
      listEvent.emitNow();
      return step.pauseMs;
    }
    if (step.is === 'published') {
      const published = { ...step.published, copied: this.#options.notifications.copyLink(step.published.url) };
      await this.#end(entry, { is: 'published', published }, view);
    } else await this.#end(entry, step.state, view);
    return null;
  }
}

/** Makes sure that drives answer, so that a silent one does not block the queue. @throws ClientError `folder` if one does not. */
async function awaitDrives(paths: readonly string[]): Promise<void> {
  await Promise.all(paths.map((path) => onDriveWithin(path, ANSWER_WITHIN_MS, async () => {})));
}

/**
 * The client to publish an entry with: anonymous if it began signed out, otherwise with the key of the current account.
 *
 * @throws ClientError `signed-out` when an entry of an account would be published anonymously. `refused` when the server was
 *   removed.
 */
function clientFor({ server, anonymous }: Entry, accounts: PublishingOptions['accounts']): BerthClient {
  const client = accounts.client(server);
  if (anonymous) return createClient({ server });
  if (client.key !== null) return client;
  throw new ClientError('signed-out', `You are no longer signed in to ${new URL(server).host}.`);
}
