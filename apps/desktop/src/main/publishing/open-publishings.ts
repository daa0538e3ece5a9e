import { join } from 'node:path';
import { ClientError, onDriveWithin } from '@berth/client';
import type { Publishing } from '../../shared/publishing.ts';
import { ANSWER_WITHIN_MS } from '../drive-limits.ts';
import { problemOf } from '../problem.ts';
import { openJsonFile } from '../storage/json-file.ts';
import { createDropCheck } from './drop-check.ts';
import { isOpen, StoredPublishings, liveOf } from './entry.ts';
import { createHandlers, type PublishingHandlers } from './handlers.ts';
import { createPublishingList } from './publishing-list.ts';
import { createPublishQueue } from './publish-queue.ts';
import type { PublishingOptions } from './options.ts';
import { passwordLost } from './password-lost.ts';
import { createPublishingRunner } from './runner.ts';
import { createStaging } from './staging.ts';
import { createThrottledEvent } from './throttled-event.ts';

/** The shortest time between two events about progress, in milliseconds. */
const EMIT_EVERY_MS = 100;

/** A published folder. */
export interface PublishedFolder {
  path: string;
  /** True if its site has a password. */
  password: boolean;
}

/** The list of publishings. */
export interface Publishings {
  /** Newest first. */
  list(): Publishing[];
  /** The times at which publishings failed, by id, in Unix milliseconds. */
  failedAt(): ReadonlyMap<string, number>;
  readonly handlers: PublishingHandlers;
  /** Finds the folder of a publishing. @throws ClientError `refused` when files were published instead. */
  publishedFolder(id: string): PublishedFolder;
  /** Retries paused publishings now, and checks again which folders exist. */
  onWake(): void;
  /** Reports that the list of watched folders has changed. */
  watchedChanged(): void;
  /** Stops all work so that the next start can resume it. */
  close(): Promise<void>;
}

/**
 * Loads the list of publishings and resumes the unfinished ones.
 *
 * Runs one publishing at a time, in the order they were added. Unfinished publishings resume at the next start, even after a
 * crash, and nothing is published twice. Opening does not wait for any folder, because its drive may never answer. Passwords are
 * only in memory, so a publishing that needs one cannot resume.
 *
 * @throws Error when `publishings.json` cannot be read. Source: design of the desktop app, §1, §8; security T40.
 */
export async function openPublishings(options: PublishingOptions): Promise<Publishings> {
  const path = join(options.dataDir, 'publishings.json');
  const initial = { version: 1 as const, publishings: [] };
  const file = await openJsonFile<StoredPublishings>({
    path,
    schema: StoredPublishings,
    initial,
    onDamaged: options.onDamaged,
  });
  const list = createPublishingList(file, (thrown) => options.onProblem(writeProblem(thrown)));
  const show = () => list.publishings(new Set(options.watchedPaths()));
  const listEvent = createThrottledEvent(() => options.onChange(show()), EMIT_EVERY_MS);
  const staging = createStaging(join(options.cacheDir, 'staging'));
  const passwords = new Map<string, string>();
  const queue = createPublishQueue(createPublishingRunner({ ...options, list, staging, listEvent, passwords }));
  const dropCheck = createDropCheck({ ...options, list, queue, listEvent });
  let isCheckingFolders = false;

  /** Checks which folders exist. A folder whose drive does not answer counts as missing. */
  async function checkFolders(): Promise<void> {
    if (isCheckingFolders) return;
    isCheckingFolders = true;
    await Promise.all(
      list.entries().map(async ({ id, source }) => {
        if (source.kind !== 'folder') return;
        list.update(id, { exists: await isFolder(source.path) });
        listEvent.emitSoon();
      }),
    );
    isCheckingFolders = false;
  }

  /** Queues unfinished publishings, oldest first. Those that need a password fail. */
  async function resumeUnfinished(): Promise<void> {
    await staging.keepOnly(
      new Set(
        list
          .entries()
          .filter(isOpen)
          .map(({ id }) => id),
      ),
    );
    for (const entry of list.entries().toReversed()) {
      if (!isOpen(entry)) continue;
      if (entry.password && !liveOf(entry)) {
        list.change(entry.id, { state: { is: 'failed', problem: problemOf(passwordLost()), at: Date.now() } });
        await staging.remove(entry.id);
        continue;
      }
      if (entry.state.is !== 'asking') queue.add(entry.id, entry.server);
    }
  }

  await resumeUnfinished();
  // Asks again about publishings that had a question. The user can answer or cancel one even before its drive answers.
  for (const { id, state } of list.entries().toReversed()) if (state.is === 'asking') void dropCheck.check(id);
  void checkFolders();

  return {
    list: show,
    failedAt: () => new Map(list.entries().flatMap(({ id, state }) => (state.is === 'failed' ? [[id, state.at]] : []))),
    handlers: createHandlers({ ...options, list, dropCheck, queue, staging, passwords, listEvent }),
    publishedFolder(id) {
      const { source, password } = list.get(id);
      if (source.kind === 'folder') return { path: source.path, password };
      throw new ClientError('refused', 'Only folders can be watched, and this is a drop of files.');
    },
    onWake() {
      queue.endPauses();
      void checkFolders();
    },
    watchedChanged: listEvent.emitSoon,
    async close() {
      dropCheck.close();
      await queue.close();
      listEvent.close();
      await list.saved();
    },
  };
}

function writeProblem(thrown: unknown) {
  const code = (thrown as NodeJS.ErrnoException).code;
  const why = code === 'ENOSPC' ? ': the disk is full' : '';
  return problemOf(new ClientError('folder', `The list of published items cannot be saved${why}.`));
}

function isFolder(path: string): Promise<boolean> {
  return onDriveWithin(path, ANSWER_WITHIN_MS, async (stats) => stats?.isDirectory() === true).catch(() => false);
}
