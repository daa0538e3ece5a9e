import type { Answer, Problem } from '../backend.ts';

export interface ListSource<T> {
  read(cursor: string | undefined): Promise<Answer<{ items: readonly T[]; nextCursor: string | undefined }>>;
  /** Returns a key that is unique among the items. */
  keyOf(item: T): string;
}

type Change<T> = (items: readonly T[]) => readonly T[];

export interface ListState<T> {
  items: readonly T[];
  isLoading: boolean;
  /** Why the last page could not be loaded. */
  problem: Problem | null;
  hasMore: boolean;
}

/** A list that is loaded page by page. */
export class PagedList<T> {
  readonly #source: ListSource<T>;
  readonly #listeners = new Set<() => void>();
  #state: ListState<T> = { items: [], isLoading: true, problem: null, hasMore: true };
  #cursor: string | undefined;
  /** The numbers of the latest requests. Answers to earlier requests are stale and ignored. */
  #lastPage = 0;
  #lastRefresh = 0;
  /** Changes made while the first page is being loaded, because the answer may be older than a change; otherwise `null`. */
  #pendingChanges: Change<T>[] | null = null;

  constructor(source: ListSource<T>) {
    this.#source = source;
  }

  readonly get = (): ListState<T> => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Loads the next page, unless a page is already being loaded. */
  readonly loadMore = (): void => {
    if (this.#state.hasMore && !this.#state.isLoading) void this.#load(this.#cursor);
  };

  /** Loads again from the start. Keeps the current items until the answer arrives. */
  readonly reload = (): void => void this.#load(undefined);

  /** Ignores the answers to all requests that have been sent. */
  readonly close = (): void => {
    this.#lastPage++;
    this.#lastRefresh++;
  };

  /** Changes the items. @param by Must be idempotent: it is applied again to the items of an answer that arrives later. */
  readonly change = (by: Change<T>): void => {
    this.#pendingChanges?.push(by);
    this.#update({ items: by(this.#state.items) });
  };

  /** Replaces the item that has a key, or removes the item with `null`. */
  readonly replace = (key: string, item: T | null): void =>
    this.change((items) =>
      items.map((each) => (this.#source.keyOf(each) === key ? item : each)).filter((each) => each !== null),
    );

  /** Loads the newest items and merges them in front of the current ones. Ignores failures. */
  readonly refresh = async (): Promise<void> => {
    const refreshNumber = ++this.#lastRefresh;
    const answer = await this.#source.read(undefined);
    if (refreshNumber !== this.#lastRefresh || !answer.ok) return;
    const newestItems = answer.value.items;
    const { items } = this.#state;
    const knownKeys = new Set(items.map(this.#source.keyOf));
    // Without a known item on the page, items may be missing between the page and the list, so reload.
    if (knownKeys.size > 0 && !newestItems.some((item) => knownKeys.has(this.#source.keyOf(item))))
      return this.reload();
    this.#update({ items: this.#append(newestItems, items) });
  };

  async #load(cursor: string | undefined): Promise<void> {
    const pageNumber = ++this.#lastPage;
    this.#pendingChanges = cursor === undefined ? [] : null;
    this.#update({ isLoading: true, problem: null });
    const answer = await this.#source.read(cursor);
    if (pageNumber !== this.#lastPage) return;
    const changes = this.#pendingChanges ?? [];
    this.#pendingChanges = null;
    if (!answer.ok) return this.#update({ isLoading: false, problem: answer.problem });
    const { items, nextCursor } = answer.value;
    this.#cursor = nextCursor;
    this.#update({
      items:
        cursor === undefined
          ? changes.reduce((changed, by) => by(changed), items)
          : this.#append(this.#state.items, items),
      hasMore: nextCursor !== undefined,
      isLoading: false,
    });
  }

  /** Items that are in both lists are taken from the first list. */
  #append(first: readonly T[], second: readonly T[]): readonly T[] {
    const firstKeys = new Set(first.map(this.#source.keyOf));
    return [...first, ...second.filter((item) => !firstKeys.has(this.#source.keyOf(item)))];
  }

  #update(changed: Partial<ListState<T>>): void {
    this.#state = { ...this.#state, ...changed };
    for (const listener of this.#listeners) listener();
  }
}
