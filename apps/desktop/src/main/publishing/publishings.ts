import { join } from 'node:path';
import { ClientError, onDriveWithin } from '@berth/client';
import type { Publishing } from '../../shared/publishing.ts';
import { DRIVE_LIMIT_MS } from '../drive-limits.ts';
import type { PublishedFolder } from '../folders/handlers.ts';
import { problemOf } from '../problem.ts';
import { type JsonFile, openJsonFile } from '../storage/json-file.ts';
import { Claims } from './claims.ts';
import { createExpiryReminders } from './expiry-reminders.ts';
import { createDropCheck, type DropCheck } from './drop-check.ts';
import { isOpen, liveOf, passwordLost, StoredPublishings } from './entry.ts';
import { PublishingHandlers } from './handlers.ts';
import { PublishingList } from './publishing-list.ts';
import { PublishQueue } from './publish-queue.ts';
import { type PublishingOptions, Runner } from './runner.ts';
import { createStaging, type Staging } from './staging.ts';
import { ThrottledEvent } from './throttled-event.ts';

/** The shortest time between two events about progress, in milliseconds. */
const EMIT_EVERY_MS = 100;

/**
 * Loads the list of publish jobs and resumes unfinished publish jobs.
 *
 * Runs one publish job at a time, in the order in which the user added them. Unfinished jobs resume at the next start, even
 * after a crash, and nothing is published twice. Opening does not wait for any folder, because its drive may never respond.
 * Passwords are only in memory, so a publish job that needs one cannot resume.
 *
 * @throws Error when `publishings.json` cannot be read. Source: desktop §1, §8; security T40.
 */
export async function openPublishings(options: PublishingOptions): Promise<Publishings> {
  const file = await openJsonFile<StoredPublishings>({
    path: join(options.dataDir, 'publishings.json'),
    schema: StoredPublishings,
    initialValue: { version: 1, publishings: [] },
    onDamaged: options.onDamaged,
  });
  const publishings = new Publishings(options, file);
  await publishings.resume();
  return publishings;
}

class Publishings {
  readonly handlers: PublishingHandlers;
  readonly #options: PublishingOptions;
  readonly #list: PublishingList;
  readonly #listEvent: ThrottledEvent;
  readonly #staging: Staging;
  readonly #queue: PublishQueue;
  readonly #dropCheck: DropCheck;
  readonly #claims: Claims;
  readonly #reminders: ReturnType<typeof createExpiryReminders>;
  #isCheckingFolders = false;

  constructor(options: PublishingOptions, file: JsonFile<StoredPublishings>) {
    this.#options = options;
    this.#list = new PublishingList(file, (thrown) => options.onProblem(writeProblem(thrown)));
    this.#listEvent = new ThrottledEvent(() => options.onChange(this.list()), EMIT_EVERY_MS);
    this.#staging = createStaging(join(options.cacheDir, 'staging'));
    const sharedOptions = {
      ...options,
      list: this.#list,
      staging: this.#staging,
      listEvent: this.#listEvent,
      passwords: new Map<string, string>(),
    };
    this.#claims = new Claims(sharedOptions);
    this.#queue = new PublishQueue(new Runner(sharedOptions).run);
    this.#dropCheck = createDropCheck({
      ...sharedOptions,
      queue: this.#queue,
      siteAt: (server, path) => options.siteFolders.siteAt(server, path)?.domain ?? options.watchedDomain(server, path),
    });
    this.handlers = new PublishingHandlers({
      ...sharedOptions,
      dropCheck: this.#dropCheck,
      queue: this.#queue,
      claims: this.#claims,
    });
    this.#reminders = createExpiryReminders(sharedOptions);
  }

  async resume(): Promise<void> {
    await this.#resumeUnfinished();
    // Checks items with an open question again. The user can cancel an item before its drive responds.
    for (const { id, state } of this.#list.entries().toReversed())
      if (state.is === 'asking') void this.#dropCheck.check(id);
    void this.#checkFolders();
    void this.#claims.claimKept();
    this.#reminders.check();
  }

  /** Lists the publish jobs, newest first. */
  list(): Publishing[] {
    return this.#list.publishings(new Set(this.#options.watchedPaths()));
  }

  /** The times at which publish jobs failed, by id, in Unix milliseconds. */
  failedAt(): ReadonlyMap<string, number> {
    return new Map(this.#list.entries().flatMap(({ id, state }) => (state.is === 'failed' ? [[id, state.at]] : [])));
  }

  /** Finds the folder of a publish job: its project, if it was built. @throws ClientError `refused` when files were published instead. */
  publishedFolder(id: string): PublishedFolder {
    const { source, password } = this.#list.get(id);
    if (source.kind === 'folder') return { path: source.build?.root ?? source.path, password };
    throw new ClientError('refused', 'Only a folder can be watched, and this site was published from single files.');
  }

  /** Retries paused publish jobs now, and checks again which folders exist. */
  onWake(): void {
    this.#queue.endPauses();
    this.#reminders.check();
    void this.#checkFolders();
  }

  /** Reports that the list of watched folders has changed. */
  watchedChanged(): void {
    this.#listEvent.emitSoon();
  }

  /** Stops all work so that the next start can resume it. */
  async close(): Promise<void> {
    this.#dropCheck.close();
    this.#reminders.close();
    await this.#queue.close();
    this.#listEvent.close();
    await this.#list.saved();
  }

  /** Queues unfinished publish jobs, oldest first. A publish job that needs a password fails. */
  async #resumeUnfinished(): Promise<void> {
    const unfinishedEntries = this.#list.entries().filter(isOpen).toReversed();
    await this.#staging.keepOnly(new Set(unfinishedEntries.map(({ id }) => id)));
    for (const entry of unfinishedEntries) {
      if (entry.password && !liveOf(entry)) {
        this.#list.change(entry.id, { state: { is: 'failed', problem: problemOf(passwordLost()), at: Date.now() } });
        await this.#staging.remove(entry.id);
      } else if (entry.state.is === 'unfinished') this.#queue.add(entry.id, entry.server);
    }
  }

  /** Checks which folders exist. A folder whose drive does not respond counts as missing. */
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
  const isFull = (thrown as NodeJS.ErrnoException).code === 'ENOSPC';
  const message = 'The list of published items cannot be saved.';
  return problemOf(new ClientError('folder', isFull ? `${message} The disk is full.` : message));
}

function isFolder(path: string): Promise<boolean> {
  return onDriveWithin(path, DRIVE_LIMIT_MS, async (stats) => stats?.isDirectory() === true).catch(() => false);
}
