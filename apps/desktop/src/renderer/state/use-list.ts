import { useCallback, useEffect, useRef, useState } from 'react';
import type { Answer } from '../../shared/contract.ts';
import type { Problem } from '../../shared/problem.ts';

/** One page of a list, as the server returns it. */
export interface ListPage<T> {
  items: T[];
  nextCursor: string | undefined;
}

/** Where a list is read from. */
export interface ListSource<T> {
  /** Requests one page. */
  read(cursor: string | undefined): Promise<Answer<ListPage<T>>>;
  /** A key that is unique among the items. */
  keyOf(item: T): string;
  /** Identifies the account and server. A change restarts the list; with `null` nothing is read. */
  whose: string | null;
}

/** A list that is loaded page by page. */
export interface RemoteList<T> {
  /** Keys are unique. */
  items: readonly T[];
  /** Whether a page is being loaded. */
  isLoading: boolean;
  /** Why loading the last page failed. */
  problem: Problem | null;
  /** Whether there are more pages. */
  hasMore: boolean;
  /** Loads the next page, unless a page is already being loaded. */
  loadMore(): void;
  /** Loads again from the start. Keeps the current items until the answer arrives. */
  reload(): void;
  /** Loads the newest items and merges them in front of the current ones. Failures are ignored. */
  freshen(): void;
  /** Applies a change that a command made on the server. Must be idempotent: it is also applied to an answer still under way. */
  change(by: Change<T>): void;
}

type Change<T> = (items: readonly T[]) => readonly T[];

interface Held<T> {
  items: readonly T[];
  cursor: string | undefined;
  hasMore: boolean;
  isLoading: boolean;
  problem: Problem | null;
}

const START = { items: [], cursor: undefined, hasMore: true, problem: null };

/** Loads a list from the current server. */
export function useList<T>(source: ListSource<T>): RemoteList<T> {
  const { whose } = source;
  const [held, setHeld] = useState<Held<T>>({ ...START, isLoading: whose !== null });
  // The number of the latest request: answers to earlier ones are stale and ignored.
  const reading = useRef(0);
  const freshening = useRef(0);
  // Changes made while the first page is being loaded; its answer may be older than they are. `null` when it is not being loaded.
  const meanwhile = useRef<Change<T>[] | null>(null);
  const latest = useRef(source);
  latest.current = source;
  const shown = useRef(held.items);
  shown.current = held.items;

  const fetchPage = useCallback((cursor: string | undefined) => {
    const turn = ++reading.current;
    const { read, keyOf } = latest.current;
    meanwhile.current = cursor === undefined ? [] : null;
    setHeld((before) => ({ ...before, isLoading: true, problem: null }));
    void read(cursor).then((answer) => {
      if (turn !== reading.current) return;
      const changes = meanwhile.current ?? [];
      meanwhile.current = null;
      setHeld((before) => {
        if (!answer.ok) return { ...before, isLoading: false, problem: answer.problem };
        const { nextCursor } = answer.value;
        const items = changes.reduce((read, by) => by(read), answer.value.items as readonly T[]);
        return {
          items: cursor === undefined ? items : append(before.items, items, keyOf),
          cursor: nextCursor,
          hasMore: nextCursor !== undefined,
          isLoading: false,
          problem: null,
        };
      });
    });
  }, []);
  const freshen = useCallback(() => {
    const turn = ++freshening.current;
    const { read, keyOf } = latest.current;
    void read(undefined).then((answer) => {
      if (turn !== freshening.current || !answer.ok) return;
      const { items } = answer.value;
      const known = new Set(shown.current.map(keyOf));
      // More new items than fit in one page: there may be a gap, so reload.
      if (known.size > 0 && !items.some((item) => known.has(keyOf(item)))) return fetchPage(undefined);
      setHeld((before) => ({ ...before, items: append(items, before.items, keyOf) }));
    });
  }, [fetchPage]);

  useEffect(() => {
    setHeld({ ...START, isLoading: whose !== null });
    if (whose !== null) fetchPage(undefined);
    return () => {
      reading.current++;
      freshening.current++;
    };
  }, [whose, fetchPage]);

  const { cursor, hasMore, isLoading, items, problem } = held;
  return {
    items,
    isLoading,
    problem,
    hasMore,
    loadMore: useCallback(() => {
      if (hasMore && !isLoading) fetchPage(cursor);
    }, [hasMore, isLoading, cursor, fetchPage]),
    reload: useCallback(() => fetchPage(undefined), [fetchPage]),
    freshen,
    change: useCallback((by) => {
      meanwhile.current?.push(by);
      setHeld((before) => ({ ...before, items: by(before.items) }));
    }, []),
  };
}

/** Concatenates two lists. Items in both are taken from the first. */
function append<T>(first: readonly T[], second: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const known = new Set(first.map(keyOf));
  return [...first, ...second.filter((item) => !known.has(keyOf(item)))];
}
