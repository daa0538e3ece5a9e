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

const INITIAL: TransientState = { view: null, question: null, exists: false };

/** All publishings: their stored entries and their state in memory. */
export class PublishingList {
  readonly #file: JsonFile<StoredPublishings>;
  readonly #onWriteError: (thrown: unknown) => void;
  readonly #transient = new Map<string, TransientState>();
  #saving: Promise<void> = Promise.resolve();
  #isFailing = false;

  /** @param onWriteError Called once when the list can no longer be written. The next change tries again to write all of it. */
  constructor(file: JsonFile<StoredPublishings>, onWriteError: (thrown: unknown) => void) {
    this.#file = file;
    this.#onWriteError = onWriteError;
  }

  /** Newest first. */
  entries(): readonly Entry[] {
    return this.#file.value().publishings;
  }

  /** @throws ClientError `refused` when it does not exist. */
  get(id: string): Entry {
    const found = this.#find(id);
    if (!found) throw new ClientError('refused', 'This item is no longer in the list.');
    return found;
  }

  /** Adds entries, newest first. May remove the oldest ones. */
  add(added: readonly Entry[]): void {
    this.#set((kept) => [...added, ...kept]);
  }

  change(id: string, next: Partial<Entry>): void {
    this.#set((kept) => kept.map((entry) => (entry.id === id ? { ...entry, ...next } : entry)));
  }

  remove(id: string): void {
    this.#set((kept) => kept.filter((entry) => entry.id !== id));
  }

  /** Changes the state in memory. */
  update(id: string, next: Partial<TransientState>): void {
    // A dismissed publishing may still be ending.
    if (this.#find(id)) this.#transient.set(id, { ...(this.#transient.get(id) ?? INITIAL), ...next });
  }

  /** The publishings as the page shows them. @param watched The absolute paths of watched folders. */
  publishings(watched: ReadonlySet<string>): Publishing[] {
    return this.entries().map((entry) => toPublishing(entry, this.#transient.get(entry.id) ?? INITIAL, watched));
  }

  /** Resolves when all changes are on disk. */
  saved(): Promise<void> {
    return this.#saving;
  }

  #find(id: string): Entry | undefined {
    return this.entries().find((entry) => entry.id === id);
  }

  #set(next: (entries: Entry[]) => Entry[]): void {
    this.#saving = this.#file
      .change((kept) => ({ ...kept, publishings: withoutOldest(next(kept.publishings), Date.now()) }))
      .then(
        () => void (this.#isFailing = false),
        (thrown: unknown) => {
          if (!this.#isFailing) this.#onWriteError(thrown);
          this.#isFailing = true;
        },
      );
    for (const id of this.#transient.keys()) if (!this.#find(id)) this.#transient.delete(id);
  }
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
