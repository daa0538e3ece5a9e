import { resolve } from 'node:path';
import { ClientError } from '@berth/client';
import type { Publishing, PublishingState, Question } from '../../shared/publishing.ts';
import type { ProgressView } from '../progress.ts';
import type { JsonFile } from '../storage/json-file.ts';
import { type Entry, type StoredPublishings, withoutOldClaim, withoutOldest } from './entry.ts';

/** The part of a publishing's state that is not stored. */
interface TransientState {
  /** The progress; `null` while it is queued. */
  view: ProgressView | null;
  question: Question | null;
  /** True if its folder exists. */
  exists: boolean;
}

/** All publishings: their stored entries and their state in memory. */
export interface PublishingList {
  /** Newest first. */
  entries(): readonly Entry[];
  /** @throws ClientError `refused` when it does not exist. */
  get(id: string): Entry;
  /** Adds entries, newest first. May remove the oldest ones. */
  add(entries: readonly Entry[]): void;
  change(id: string, next: Partial<Entry>): void;
  remove(id: string): void;
  /** Changes the state in memory. */
  update(id: string, next: Partial<TransientState>): void;
  /** The publishings as the page shows them. @param watched The absolute paths of watched folders. */
  publishings(watched: ReadonlySet<string>): Publishing[];
  /** Resolves when all changes are on disk. */
  saved(): Promise<void>;
}

const INITIAL: TransientState = { view: null, question: null, exists: false };

/** @param onWriteError Called once when the list can no longer be written. The next change tries again to write all of it. */
export function createPublishingList(
  file: JsonFile<StoredPublishings>,
  onWriteError: (thrown: unknown) => void,
): PublishingList {
  const transient = new Map<string, TransientState>();
  let saving: Promise<void> = Promise.resolve();
  let isFailing = false;

  const entries = () => file.value().publishings;

  function set(next: (entries: Entry[]) => Entry[]): void {
    saving = file
      .change((kept) => ({ ...kept, publishings: withoutOldest(next(kept.publishings), Date.now()) }))
      .then(
        () => void (isFailing = false),
        (thrown: unknown) => {
          if (!isFailing) onWriteError(thrown);
          isFailing = true;
        },
      );
    const ids = new Set(entries().map(({ id }) => id));
    for (const id of transient.keys()) if (!ids.has(id)) transient.delete(id);
  }

  function get(id: string): Entry {
    const found = entries().find((entry) => entry.id === id);
    if (!found) throw new ClientError('refused', 'This item is no longer in the list.');
    return found;
  }

  return {
    entries,
    get,
    add: (added) => set((kept) => [...added, ...kept]),
    change: (id, next) => set((kept) => kept.map((entry) => (entry.id === id ? { ...entry, ...next } : entry))),
    remove: (id) => set((kept) => kept.filter((entry) => entry.id !== id)),
    update(id, next) {
      // A dismissed publishing may still be ending.
      if (entries().some((entry) => entry.id === id)) transient.set(id, { ...(transient.get(id) ?? INITIAL), ...next });
    },
    publishings: (watched) =>
      entries().map((entry) => toPublishing(entry, transient.get(entry.id) ?? INITIAL, watched)),
    saved: () => saving,
  };
}

function toPublishing(
  entry: Entry,
  { view, question, exists }: TransientState,
  watched: ReadonlySet<string>,
): Publishing {
  const { id, name, begun, source, leftOut } = entry;
  return {
    id,
    name,
    kind: source.kind,
    begun,
    state: stateOf(entry, view, question),
    leftOut: view?.leftOut ?? leftOut,
    watchable: source.kind === 'folder' && exists && !watched.has(resolve(source.path)),
  };
}

function stateOf({ state }: Entry, view: ProgressView | null, question: Question | null): PublishingState {
  switch (state.is) {
    case 'asking':
      // After a start exists is no question until its folder has been checked again.
      return question ? { is: 'asking', question } : { is: 'queued' };
    case 'unfinished':
      return view ? { is: 'working', progress: view.progress } : { is: 'queued' };
    case 'published':
      return { is: 'published', published: withoutOldClaim(state.published, Date.now()) };
    case 'failed':
      return { is: 'failed', problem: state.problem };
    case 'cancelled':
      return state;
    default:
      return state satisfies never;
  }
}
