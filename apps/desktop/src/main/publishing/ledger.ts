import { resolve } from 'node:path';
import { ClientError } from '@berth/client';
import type { Publishing, PublishingState, Question } from '../../shared/publishing.ts';
import type { ProgressView } from '../progress.ts';
import type { JsonFile } from '../storage/json-file.ts';
import { type Entry, type KeptPublishings, withoutOldClaim, withoutOldest } from './entry.ts';

/** The part of a publishing's state that is not stored. */
interface Passing {
  /** The progress; `null` while it is queued. */
  view: ProgressView | null;
  question: Question | null;
  /** True if its folder exists. */
  there: boolean;
}

/** All publishings: their stored entries and their state in memory. */
export interface Ledger {
  /** Newest first. */
  entries(): readonly Entry[];
  /** @throws ClientError `refused` when it does not exist. */
  get(id: string): Entry;
  /** Adds entries, newest first. May remove the oldest ones. */
  add(entries: readonly Entry[]): void;
  change(id: string, next: Partial<Entry>): void;
  remove(id: string): void;
  /** Changes the state in memory. */
  pass(id: string, next: Partial<Passing>): void;
  /** The publishings as the page shows them. @param watched The absolute paths of watched folders. */
  publishings(watched: ReadonlySet<string>): Publishing[];
  /** Resolves when all changes are on disk. */
  saved(): Promise<void>;
}

const NOTHING: Passing = { view: null, question: null, there: false };

/** @param onTrouble Called once when the list can no longer be written. The next change tries again to write all of it. */
export function createLedger(file: JsonFile<KeptPublishings>, onTrouble: (thrown: unknown) => void): Ledger {
  const passing = new Map<string, Passing>();
  let saving: Promise<void> = Promise.resolve();
  let isTroubled = false;

  const entries = () => file.value().publishings;

  function set(next: (entries: Entry[]) => Entry[]): void {
    saving = file
      .change((kept) => ({ ...kept, publishings: withoutOldest(next(kept.publishings), Date.now()) }))
      .then(
        () => void (isTroubled = false),
        (thrown: unknown) => {
          if (!isTroubled) onTrouble(thrown);
          isTroubled = true;
        },
      );
    const ids = new Set(entries().map(({ id }) => id));
    for (const id of passing.keys()) if (!ids.has(id)) passing.delete(id);
  }

  function get(id: string): Entry {
    const found = entries().find((entry) => entry.id === id);
    if (!found) throw new ClientError('refused', 'It is not on the list any more.');
    return found;
  }

  return {
    entries,
    get,
    add: (added) => set((kept) => [...added, ...kept]),
    change: (id, next) => set((kept) => kept.map((entry) => (entry.id === id ? { ...entry, ...next } : entry))),
    remove: (id) => set((kept) => kept.filter((entry) => entry.id !== id)),
    pass(id, next) {
      // A dismissed publishing may still be ending.
      if (entries().some((entry) => entry.id === id)) passing.set(id, { ...(passing.get(id) ?? NOTHING), ...next });
    },
    publishings: (watched) => entries().map((entry) => shownAs(entry, passing.get(entry.id) ?? NOTHING, watched)),
    saved: () => saving,
  };
}

function shownAs(entry: Entry, { view, question, there }: Passing, watched: ReadonlySet<string>): Publishing {
  const { id, name, begun, source, leftOut } = entry;
  return {
    id,
    name,
    kind: source.kind,
    begun,
    state: stateOf(entry, view, question),
    leftOut: view?.leftOut ?? leftOut,
    watchable: source.kind === 'folder' && there && !watched.has(resolve(source.path)),
  };
}

function stateOf({ state }: Entry, view: ProgressView | null, question: Question | null): PublishingState {
  switch (state.is) {
    case 'asking':
      // After a start there is no question until its folder has been checked again.
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
