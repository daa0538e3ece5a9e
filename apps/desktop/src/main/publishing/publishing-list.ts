import { resolve } from 'node:path';
import { ClientError } from '@berth/client';
import type { BuildOutput, Publishing, PublishingState, Question } from '../../shared/publishing.ts';
import type { ProgressView } from '@berth/client/progress-view';
import type { JsonFile } from '../storage/json-file.ts';
import { type Entry, type StoredPublishings, withoutOldClaim, withoutOldest } from './entry.ts';

/** The part of a publish job's state that is not stored. */
interface TransientState {
  /** The progress; `null` while the publish job is queued. */
  view: ProgressView | null;
  question: Question | null;
  build: BuildOutput | null;
  /** True if the folder exists. */
  exists: boolean;
}

const INITIAL: TransientState = { view: null, question: null, build: null, exists: false };

/** Manages all publish jobs: their stored entries and their state in memory. */
export class PublishingList {
  readonly #file: JsonFile<StoredPublishings>;
  readonly #onWriteError: (thrown: unknown) => void;
  readonly #transient = new Map<string, TransientState>();
  #saving: Promise<void> = Promise.resolve();
  #cannotWrite = false;

  /** @param onWriteError Called once when the list can no longer be written. The next change tries to write the whole list. */
  constructor(file: JsonFile<StoredPublishings>, onWriteError: (thrown: unknown) => void) {
    this.#file = file;
    this.#onWriteError = onWriteError;
  }

  /** The stored publish jobs, newest first. */
  entries(): readonly Entry[] {
    return this.#file.value().publishings;
  }

  /** Finds a publish job. @throws ClientError `refused` when the publish job does not exist. */
  get(id: string): Entry {
    const entry = this.#find(id);
    if (!entry) throw new ClientError('refused', 'This item is no longer in the list.');
    return entry;
  }

  /** Adds entries, newest first. May remove the oldest entries. */
  add(added: readonly Entry[]): void {
    this.#set((kept) => [...added, ...kept]);
  }

  change(id: string, next: Partial<Entry>): void {
    this.#set((kept) => kept.map((entry) => (entry.id === id ? { ...entry, ...next } : entry)));
  }

  remove(id: string): void {
    this.#set((kept) => kept.filter((entry) => entry.id !== id));
  }

  /** The question that a publish job asks; `null` without a question. */
  question(id: string): Question | null {
    return this.#transient.get(id)?.question ?? null;
  }

  /** Changes the state that is kept in memory. */
  update(id: string, next: Partial<TransientState>): void {
    // The attempt of a dismissed publish job may still be running.
    if (this.#find(id)) this.#transient.set(id, { ...(this.#transient.get(id) ?? INITIAL), ...next });
  }

  /** Returns the publish jobs as the page “Publish” shows them. @param watched The absolute paths of watched folders. */
  publishings(watched: ReadonlySet<string>): Publishing[] {
    return this.entries().map((entry) => {
      const { id, name, begun, source, leftOut } = entry;
      const { view, question, build, exists } = this.#transient.get(id) ?? INITIAL;
      return {
        id,
        name,
        kind: source.kind,
        begun,
        state: build?.isRunning ? { is: 'building' } : stateOf(entry, view, question),
        build,
        leftOut: view?.leftOut ?? leftOut,
        watchable: source.kind === 'folder' && exists && !watched.has(resolve(source.build?.root ?? source.path)),
      };
    });
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
        () => void (this.#cannotWrite = false),
        (thrown: unknown) => {
          if (!this.#cannotWrite) this.#onWriteError(thrown);
          this.#cannotWrite = true;
        },
      );
    for (const id of this.#transient.keys()) if (!this.#find(id)) this.#transient.delete(id);
  }
}

function stateOf({ state }: Entry, view: ProgressView | null, question: Question | null): PublishingState {
  switch (state.is) {
    case 'asking':
      // When the app has started, what to ask the user is unknown until the folder has been checked again.
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
