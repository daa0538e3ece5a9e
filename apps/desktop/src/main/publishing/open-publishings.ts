import { join } from 'node:path';
import { ClientError, onDriveWithin } from '@berth/client';
import type { Publishing } from '../../shared/publishing.ts';
import { ANSWER_WITHIN_MS } from '../drive-limits.ts';
import { problemOf } from '../problem.ts';
import { openJsonFile } from '../storage/json-file.ts';
import { createAsking } from './asking.ts';
import { isOpen, KeptPublishings, liveOf } from './entry.ts';
import { createHandlers, type PublishingHandlers } from './handlers.ts';
import { createLedger } from './ledger.ts';
import { createLine } from './line.ts';
import type { PublishingParts } from './parts.ts';
import { passwordGone } from './password-gone.ts';
import { createPublisher } from './publisher.ts';
import { createStaging } from './staging.ts';
import { createTeller } from './teller.ts';

/** The shortest time between two events about progress, in milliseconds. */
const TELL_EVERY_MS = 100;

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
  awake(): void;
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
export async function openPublishings(parts: PublishingParts): Promise<Publishings> {
  const path = join(parts.dataDir, 'publishings.json');
  const initial = { version: 1 as const, publishings: [] };
  const file = await openJsonFile<KeptPublishings>({
    path,
    schema: KeptPublishings,
    initial,
    onSetAside: parts.onSetAside,
  });
  const ledger = createLedger(file, (thrown) => parts.tellTrouble(notKept(thrown)));
  const list = () => ledger.publishings(new Set(parts.watchedPaths()));
  const teller = createTeller(() => parts.tell(list()), TELL_EVERY_MS);
  const staging = createStaging(join(parts.cacheDir, 'staging'));
  const passwords = new Map<string, string>();
  const line = createLine(createPublisher({ ...parts, ledger, staging, teller, passwords }));
  const asking = createAsking({ ...parts, ledger, line, teller });
  let isFinding = false;

  /** Checks which folders exist. A folder whose drive does not answer counts as missing. */
  async function findFolders(): Promise<void> {
    if (isFinding) return;
    isFinding = true;
    await Promise.all(
      ledger.entries().map(async ({ id, source }) => {
        if (source.kind !== 'folder') return;
        ledger.pass(id, { there: await isFolder(source.path) });
        teller.soon();
      }),
    );
    isFinding = false;
  }

  /** Queues unfinished publishings, oldest first. Those that need a password fail. */
  async function goOn(): Promise<void> {
    await staging.keepOnly(
      new Set(
        ledger
          .entries()
          .filter(isOpen)
          .map(({ id }) => id),
      ),
    );
    for (const entry of ledger.entries().toReversed()) {
      if (!isOpen(entry)) continue;
      if (entry.password && !liveOf(entry)) {
        ledger.change(entry.id, { state: { is: 'failed', problem: problemOf(passwordGone()), at: Date.now() } });
        await staging.remove(entry.id);
        continue;
      }
      if (entry.state.is !== 'asking') line.add(entry.id, entry.server);
    }
  }

  await goOn();
  // Asks again about publishings that had a question. The user can answer or cancel one even before its drive answers.
  for (const { id, state } of ledger.entries().toReversed()) if (state.is === 'asking') void asking.begin(id);
  void findFolders();

  return {
    list,
    failedAt: () =>
      new Map(ledger.entries().flatMap(({ id, state }) => (state.is === 'failed' ? [[id, state.at]] : []))),
    handlers: createHandlers({ ...parts, ledger, asking, line, staging, passwords, teller }),
    publishedFolder(id) {
      const { source, password } = ledger.get(id);
      if (source.kind === 'folder') return { path: source.path, password };
      throw new ClientError('refused', 'Files were dropped, and no folder: there is none to watch.');
    },
    awake() {
      line.hurry();
      void findFolders();
    },
    watchedChanged: teller.soon,
    async close() {
      asking.close();
      await line.close();
      teller.close();
      await ledger.saved();
    },
  };
}

function notKept(thrown: unknown) {
  const code = (thrown as NodeJS.ErrnoException).code;
  const why = code === 'ENOSPC' ? ': the disk is full' : '';
  return problemOf(new ClientError('folder', `The list of what was published cannot be written${why}.`));
}

function isFolder(path: string): Promise<boolean> {
  return onDriveWithin(path, ANSWER_WITHIN_MS, async (stats) => stats?.isDirectory() === true).catch(() => false);
}
