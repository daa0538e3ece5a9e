import { type Dispatch, type RefObject, type SetStateAction, useCallback, useEffect, useRef, useState } from 'react';
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
  accountKey: string | null;
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
  refresh(): void;
  /** Applies a change that a command made on the server. Must be idempotent: it is also applied to an answer still under way. */
  change(by: Change<T>): void;
}

type Change<T> = (items: readonly T[]) => readonly T[];

interface ListState<T> {
  items: readonly T[];
  cursor: string | undefined;
  hasMore: boolean;
  isLoading: boolean;
  problem: Problem | null;
}

const START = { items: [], cursor: undefined, hasMore: true, problem: null };

/** Loads a list from the current server. */
export function useList<T>(source: ListSource<T>): RemoteList<T> {
  const { accountKey } = source;
  const latest = useRef(source);
  latest.current = source;
  const [list, setList] = useState<ListState<T>>({ ...START, isLoading: accountKey !== null });
  const { fetchPage, change, cancel: cancelPage } = usePages(latest, setList);
  const { refresh, cancel: cancelRefresh } = useRefresh(latest, list.items, setList, fetchPage);

  useEffect(() => {
    setList({ ...START, isLoading: accountKey !== null });
    if (accountKey !== null) fetchPage(undefined);
    return () => {
      cancelPage();
      cancelRefresh();
    };
  }, [accountKey, fetchPage, cancelPage, cancelRefresh]);

  const { cursor, hasMore, isLoading, items, problem } = list;
  return {
    items,
    isLoading,
    problem,
    hasMore,
    loadMore: useCallback(() => {
      if (hasMore && !isLoading) fetchPage(cursor);
    }, [hasMore, isLoading, cursor, fetchPage]),
    reload: useCallback(() => fetchPage(undefined), [fetchPage]),
    refresh,
    change,
  };
}

type SetList<T> = Dispatch<SetStateAction<ListState<T>>>;

/** Loads the pages of a list one by one, and applies changes to those that are loaded or under way. */
function usePages<T>(source: RefObject<ListSource<T>>, setList: SetList<T>) {
  // The number of the latest request: answers to earlier ones are stale and ignored.
  const request = useRef(0);
  // Changes made while the first page is being loaded; its answer may be older than they are. `null` when it is not being loaded.
  const pendingChanges = useRef<Change<T>[] | null>(null);

  const fetchPage = useCallback(
    (cursor: string | undefined) => {
      const number = ++request.current;
      const { read, keyOf } = source.current;
      pendingChanges.current = cursor === undefined ? [] : null;
      setList((before) => ({ ...before, isLoading: true, problem: null }));
      void read(cursor).then((answer) => {
        if (number !== request.current) return;
        const changes = pendingChanges.current ?? [];
        pendingChanges.current = null;
        setList((before) => {
          if (!answer.ok) return { ...before, isLoading: false, problem: answer.problem };
          const { nextCursor } = answer.value;
          const items = changes.reduce((changed, by) => by(changed), answer.value.items as readonly T[]);
          return {
            items: cursor === undefined ? items : append(before.items, items, keyOf),
            cursor: nextCursor,
            hasMore: nextCursor !== undefined,
            isLoading: false,
            problem: null,
          };
        });
      });
    },
    [source, setList],
  );
  const change = useCallback(
    (by: Change<T>) => {
      pendingChanges.current?.push(by);
      setList((before) => ({ ...before, items: by(before.items) }));
    },
    [setList],
  );
  const cancel = useCallback(() => void request.current++, []);
  return { fetchPage, change, cancel };
}

/** Loads the newest items and merges them in front of the current ones. */
function useRefresh<T>(
  source: RefObject<ListSource<T>>,
  items: readonly T[],
  setList: SetList<T>,
  fetchPage: (cursor: undefined) => void,
) {
  const request = useRef(0);
  const shown = useRef(items);
  shown.current = items;

  const refresh = useCallback(() => {
    const number = ++request.current;
    const { read, keyOf } = source.current;
    void read(undefined).then((answer) => {
      if (number !== request.current || !answer.ok) return;
      const newest = answer.value.items;
      const known = new Set(shown.current.map(keyOf));
      // More new items than fit in one page: there may be a gap, so reload.
      if (known.size > 0 && !newest.some((item) => known.has(keyOf(item)))) return fetchPage(undefined);
      setList((before) => ({ ...before, items: append(newest, before.items, keyOf) }));
    });
  }, [source, setList, fetchPage]);
  const cancel = useCallback(() => void request.current++, []);
  return { refresh, cancel };
}

/** Concatenates two lists. Items in both are taken from the first. */
function append<T>(first: readonly T[], second: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const known = new Set(first.map(keyOf));
  return [...first, ...second.filter((item) => !known.has(keyOf(item)))];
}
