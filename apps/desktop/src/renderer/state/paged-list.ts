import type { Answer } from '../../shared/contract.ts';
import type { Problem } from '../../shared/problem.ts';

/** One page of a list, as the server returns it. */
export interface ListPage<T> {
  items: readonly T[];
  nextCursor: string | undefined;
}

/** Where a list is read from. */
export interface ListSource<T> {
  /** Requests one page. */
  read(cursor: string | undefined): Promise<Answer<ListPage<T>>>;
  /** A key that is unique among the items. */
  keyOf(item: T): string;
}

/** A change of a list that a command made on the server. */
export type Change<T> = (items: readonly T[]) => readonly T[];

/** What is known of a list that is loaded page by page. */
export interface ListState<T> {
  /** Keys are unique. */
  items: readonly T[];
  /** Whether a page is being loaded. */
  isLoading: boolean;
  /** Why loading the last page failed. */
  problem: Problem | null;
  /** Whether there are more pages. */
  hasMore: boolean;
}

/** A list that is loaded page by page. */
export class PagedList<T> {
  readonly #source: ListSource<T>;
  readonly #listeners = new Set<() => void>();
  #state: ListState<T> = { items: [], isLoading: true, problem: null, hasMore: true };
  #cursor: string | undefined;
  /** The numbers of the latest requests: answers to earlier ones are stale and ignored. */
  #lastPage = 0;
  #lastRefresh = 0;
  /** Changes made while the first page is being loaded; its answer may be older than they are. `null` when it is not being loaded. */
  #pendingChanges: Change<T>[] | null = null;

  constructor(source: ListSource<T>) {
    this.#source = source;
  }

  readonly get = (): ListState<T> => this.#state;

  /** @returns A function that unsubscribes. */
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

  /** Ignores the answers still under way. */
  readonly close = (): void => {
    this.#lastPage++;
    this.#lastRefresh++;
  };

  /** Applies a change. It must be idempotent: it is also applied to an answer still under way. */
  readonly change = (by: Change<T>): void => {
    this.#pendingChanges?.push(by);
    this.#update({ items: by(this.#state.items) });
  };

  /** Loads the newest items and merges them in front of the current ones. Failures are ignored. */
  readonly refresh = async (): Promise<void> => {
    const number = ++this.#lastRefresh;
    const answer = await this.#source.read(undefined);
    if (number !== this.#lastRefresh || !answer.ok) return;
    const newest = answer.value.items;
    const { items } = this.#state;
    const known = new Set(items.map(this.#source.keyOf));
    // More new items than fit in one page: there may be a gap, so reload.
    if (known.size > 0 && !newest.some((item) => known.has(this.#source.keyOf(item)))) return this.reload();
    this.#update({ items: this.#append(newest, items) });
  };

  async #load(cursor: string | undefined): Promise<void> {
    const number = ++this.#lastPage;
    this.#pendingChanges = cursor === undefined ? [] : null;
    this.#update({ isLoading: true, problem: null });
    const answer = await this.#source.read(cursor);
    if (number !== this.#lastPage) return;
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

  /** Concatenates two lists. Items in both are taken from the first. */
  #append(first: readonly T[], second: readonly T[]): readonly T[] {
    const known = new Set(first.map(this.#source.keyOf));
    return [...first, ...second.filter((item) => !known.has(this.#source.keyOf(item)))];
  }

  #update(changed: Partial<ListState<T>>): void {
    this.#state = { ...this.#state, ...changed };
    for (const listener of this.#listeners) listener();
  }
}
