import { join } from 'node:path';
import { ClientError, onDriveWithin } from '@berth/client';
import type { Publishing } from '../../shared/publishing.ts';
import { ANSWER_WITHIN_MS } from '../drive-limits.ts';
import type { PublishedFolder } from '../folders/handlers.ts';
import { problemOf } from '../problem.ts';
import { type JsonFile, openJsonFile } from '../storage/json-file.ts';
import { DropCheck } from './drop-check.ts';
import { isOpen, liveOf, passwordLost, StoredPublishings } from './entry.ts';
import { PublishingHandlers } from './handlers.ts';
import { PublishingList } from './publishing-list.ts';
import { PublishQueue } from './publish-queue.ts';
import { type PublishingOptions, PublishingRunner } from './runner.ts';
import { Staging } from './staging.ts';
import { ThrottledEvent } from './throttled-event.ts';

/** The shortest time between two events about progress, in milliseconds. */
const EMIT_EVERY_MS = 100;

/**
 * Loads the list of publishings and resumes the unfinished ones.
 *
 * Runs one publishing at a time, in the order they were added. Unfinished publishings resume at the next start, even after a
 * crash, and nothing is published twice. Opening does not wait for any folder, because its drive may never answer. Passwords are
 * only in memory, so a publishing that needs one cannot resume.
 *
 * @throws Error when `publishings.json` cannot be read. Source: desktop §1, §8; security T40.
 */
export async function openPublishings(options: PublishingOptions): Promise<Publishings> {
  const file = await openJsonFile<StoredPublishings>({
    path: join(options.dataDir, 'publishings.json'),
    schema: StoredPublishings,
    initial: { version: 1, publishings: [] },
    onDamaged: options.onDamaged,
  });
  const publishings = new Publishings(options, file);
  await publishings.resume();
  return publishings;
}

/** The list of publishings. */
export class Publishings {
  readonly handlers: PublishingHandlers;
  readonly #options: PublishingOptions;
  readonly #list: PublishingList;
  readonly #listEvent: ThrottledEvent;
  readonly #staging: Staging;
  readonly #queue: PublishQueue;
  readonly #dropCheck: DropCheck;
  #isCheckingFolders = false;

  constructor(options: PublishingOptions, file: JsonFile<StoredPublishings>) {
    const list = new PublishingList(file, (thrown) => options.onProblem(writeProblem(thrown)));
    const listEvent = new ThrottledEvent(() => options.onChange(this.list()), EMIT_EVERY_MS);
    const staging = new Staging(join(options.cacheDir, 'staging'));
    const passwords = new Map<string, string>();
    const queue = new PublishQueue(new PublishingRunner({ ...options, list, staging, listEvent, passwords }).run);
    const dropCheck = new DropCheck({ ...options, list, queue, listEvent });
    this.handlers = new PublishingHandlers({ ...options, list, dropCheck, queue, staging, passwords, listEvent });
    this.#options = options;
    this.#list = list;
    this.#listEvent = listEvent;
    this.#staging = staging;
    this.#queue = queue;
    this.#dropCheck = dropCheck;
  }

  /** Resumes the stored publishings. */
  async resume(): Promise<void> {
    await this.#resumeUnfinished();
    // Asks again about publishings that had a question. The user can answer or cancel one even before its drive answers.
    for (const { id, state } of this.#list.entries().toReversed())
      if (state.is === 'asking') void this.#dropCheck.check(id);
    void this.#checkFolders();
  }

  /** Newest first. */
  list(): Publishing[] {
    return this.#list.publishings(new Set(this.#options.watchedPaths()));
  }

  /** The times at which publishings failed, by id, in Unix milliseconds. */
  failedAt(): ReadonlyMap<string, number> {
    return new Map(this.#list.entries().flatMap(({ id, state }) => (state.is === 'failed' ? [[id, state.at]] : [])));
  }

  /** Finds the folder of a publishing. @throws ClientError `refused` when files were published instead. */
  publishedFolder(id: string): PublishedFolder {
    const { source, password } = this.#list.get(id);
    if (source.kind === 'folder') return { path: source.path, password };
    throw new ClientError('refused', 'Only folders can be watched, and this is a drop of files.');
  }

  /** Retries paused publishings now, and checks again which folders exist. */
  onWake(): void {
    this.#queue.endPauses();
    void this.#checkFolders();
  }

  /** Reports that the list of watched folders has changed. */
  watchedChanged(): void {
    this.#listEvent.emitSoon();
  }

  /** Stops all work so that the next start can resume it. */
  async close(): Promise<void> {
    this.#dropCheck.close();
    await this.#queue.close();
    this.#listEvent.close();
    await this.#list.saved();
  }

  /** Queues unfinished publishings, oldest first. Those that need a password fail. */
  async #resumeUnfinished(): Promise<void> {
    const list = this.#list;
    const unfinished = list.entries().filter(isOpen);
    await this.#staging.keepOnly(new Set(unfinished.map(({ id }) => id)));
    for (const entry of list.entries().toReversed()) {
      if (!isOpen(entry)) continue;
      if (entry.password && !liveOf(entry)) {
        list.change(entry.id, { state: { is: 'failed', problem: problemOf(passwordLost()), at: Date.now() } });
        await this.#staging.remove(entry.id);
        continue;
      }
      if (entry.state.is !== 'asking') this.#queue.add(entry.id, entry.server);
    }
  }

  /** Checks which folders exist. A folder whose drive does not answer counts as missing. */
  async #checkFolders(): Promise<void> {
    if (this.#isCheckingFolders) return;
    this.#isCheckingFolders = true;
    await Promise.all(
      this.#list.entries().map(async ({ id, source }) => {
        if (source.kind !== 'folder') return;
        this.#list.update(id, { exists: await isFolder(source.path) });
        this.#listEvent.emitSoon();
      }),
    );
    this.#isCheckingFolders = false;
  }
}

function writeProblem(thrown: unknown) {
  const code = (thrown as NodeJS.ErrnoException).code;
  const why = code === 'ENOSPC' ? ': the disk is full' : '';
  return problemOf(new ClientError('folder', `The list of published items cannot be saved${why}.`));
}

function isFolder(path: string): Promise<boolean> {
  return onDriveWithin(path, ANSWER_WITHIN_MS, async (stats) => stats?.isDirectory() === true).catch(() => false);
}
