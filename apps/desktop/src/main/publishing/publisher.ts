import { existsSync } from 'node:fs';
import { type BerthClient, ClientError, createClient, onDriveWithin } from '@berth/client';
import { ANSWER_WITHIN_MS } from '../drive-limits.ts';
import { beginProgress, type ProgressView } from '../progress.ts';
import { createAnnouncer } from './announcer.ts';
import { attemptPublishing } from './attempt.ts';
import { type Entry, type KeptState, liveOf, withoutCopy } from './entry.ts';
import type { Ledger } from './ledger.ts';
import type { Attempt } from './line.ts';
import { type Sequel, sequelOf } from './outcome.ts';
import type { PublishingParts } from './parts.ts';
import type { Staging } from './staging.ts';
import type { Teller } from './teller.ts';

/** Keeps attempts short while the server cannot be reached: a pause in the queue can be cut short, one in an attempt cannot. */
const SHORT_RETRIES = { attempts: 4, withinMs: 10_000 };

export interface PublisherParts extends PublishingParts {
  ledger: Ledger;
  staging: Staging;
  teller: Teller;
  /** The passwords of unfinished publishings, by id. */
  passwords: Map<string, string>;
}

/** Creates the function that runs the jobs of the queue: it publishes an entry and stores the result. */
export function createPublisher(parts: PublisherParts): Attempt {
  const { ledger, staging, teller, passwords, accounts, cacheDir, rule } = parts;
  const announcer = createAnnouncer(parts);
  const failures = new Map<string, number>();

  function show(id: string, view: ProgressView): void {
    ledger.pass(id, { view });
    teller.soon();
  }

  async function folderOf({ id, source }: Entry, signal: AbortSignal): Promise<string> {
    if (source.kind === 'folder') {
      await awaitDrives([source.path]);
      return source.path;
    }
    // The system may have deleted the cached copy to free space.
    if (source.staged && existsSync(staging.folderOf(id))) return staging.folderOf(id);
    await awaitDrives(source.paths);
    const folder = await staging.stage(id, source.paths, signal);
    ledger.change(id, { source: { ...source, staged: true } });
    return folder;
  }

  async function end(entry: Entry, state: KeptState, view: ProgressView | null): Promise<void> {
    const { id, name, source } = entry;
    failures.delete(id);
    if (state.is === 'published') passwords.delete(id);
    ledger.pass(id, { view: null });
    ledger.change(id, { state, source: withoutCopy(source), leftOut: view?.leftOut ?? [] });
    teller.atOnce();
    if (state.is === 'published') announcer.published(name, state.published);
    if (state.is === 'failed') announcer.failed(id, name, state.problem);
    // The stored entry must say that there is no copy before the copy is removed.
    await ledger.saved();
    if (source.kind === 'files') await staging.remove(id).catch(() => {});
  }

  async function follow(entry: Entry, sequel: Sequel, view: ProgressView | null): Promise<number | null> {
    const { id } = entry;
    if (sequel.is === 'paused') {
      const attempt = (failures.get(id) ?? 0) + 1;
      failures.set(id, attempt);
      const at = Date.now() + sequel.pauseMs;
      const progress = { phase: 'retrying', attempt, at, reason: sequel.reason } as const;
      ledger.pass(id, { view: { ...(view ?? beginProgress()), progress } });
      teller.atOnce();
      return sequel.pauseMs;
    }
    if (sequel.is === 'published') {
      const published = { ...sequel.published, copied: announcer.copy(sequel.published.url) };
      await end(entry, { is: 'published', published }, view);
    } else await end(entry, sequel.state, view);
    return null;
  }

  return async (id, signal) => {
    const entry = ledger.get(id);
    let view: ProgressView | null = null;
    const outcome = await attemptPublishing(
      {
        client: () => clientFor(entry, accounts),
        folder: (engine) => folderOf(entry, engine),
        options: { ...entry.options, password: passwords.get(id) ?? null },
        live: liveOf(entry),
        keep(deployment) {
          ledger.change(id, { state: { is: 'unfinished', deployment } });
          return ledger.saved();
        },
        cacheDir,
        retries: { ...SHORT_RETRIES, ...parts.retries },
        show(next) {
          view = next;
          show(id, next);
        },
      },
      signal,
    );
    if (outcome.progressed) failures.delete(id);
    const { failure } = outcome;
    if (failure instanceof ClientError && failure.status === 401) accounts.refused(entry.server);
    // It stays unfinished and resumes at the next start.
    if (signal.reason === 'closed' && failure !== null) return null;
    return follow(entry, sequelOf(entry, outcome, failures.get(id) ?? 0, rule, Date.now()), view);
  };
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
function clientFor({ server, anonymous }: Entry, accounts: PublishingParts['accounts']): BerthClient {
  const client = accounts.client(server);
  if (anonymous) return createClient({ server });
  if (client.key !== null) return client;
  throw new ClientError('signed-out', `Nobody is signed in to ${new URL(server).host} any more.`);
}
