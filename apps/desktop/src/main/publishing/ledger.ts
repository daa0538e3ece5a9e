import { resolve } from 'node:path';
import { ClientError } from '@berth/client';
import type { Publishing, PublishingState, Question } from '../../shared/publishing.ts';
import type { ProgressView } from '../progress.ts';
import type { JsonFile } from '../storage/json-file.ts';
import { type Entry, type KeptPublishings, withoutOldClaim, withoutOldest } from './entry.ts';

/** What is known of a publishing while the app runs. */
export interface Passing {
  /** How far it is; `null` while it waits for its turn. */
  view: ProgressView | null;
  question: Question | null;
  /** Whether its folder is there. */
  there: boolean;
}

/** All publishings: what is kept of them, and what passes. */
export interface Ledger {
  /** The newest first. */
  entries(): readonly Entry[];
  /** @throws ClientError `refused` when it is not there. */
  get(id: string): Entry;
  /** Takes new ones in, the newest first; the oldest at the end of the list may go. */
  add(entries: readonly Entry[]): void;
  change(id: string, next: Partial<Entry>): void;
  remove(id: string): void;
  /** Sets what passes. */
  pass(id: string, next: Partial<Passing>): void;
  /** As the page sees them. @param watched The folders that are watched, absolute. */
  publishings(watched: ReadonlySet<string>): Publishing[];
  /** Waits until what is known is on disk. */
  saved(): Promise<void>;
}

const NOTHING: Passing = { view: null, question: null, there: false };

/** @param onTrouble Hears, once, that the list cannot be written any more. It is written with the next change that can be. */
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
      // What is dismissed may still be on its way to its end.
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
      // After a start, its folder is looked at first.
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
