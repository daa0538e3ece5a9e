import { useCallback, useEffect, useRef, useState } from 'react';
import type { Answer } from '../../shared/contract.ts';
import type { Problem } from '../../shared/problem.ts';

/** One page of a list, as the server gives it. */
export interface ListPage<T> {
  items: T[];
  nextCursor: string | undefined;
}

/** What a list is made of. */
export interface ListSource<T> {
  /** Asks for one page. */
  read(cursor: string | undefined): Promise<Answer<ListPage<T>>>;
  /** What no two items share. */
  keyOf(item: T): string;
  /** Another account or server starts the list anew; `null` reads nothing. */
  whose: string | null;
}

/** A list that is read page by page. */
export interface RemoteList<T> {
  /** No two with the same key. */
  items: readonly T[];
  /** Whether a page is on its way. */
  isLoading: boolean;
  /** Why the last page did not come. */
  problem: Problem | null;
  /** Whether there is more to read. */
  hasMore: boolean;
  /** Reads the next page, unless one is on its way. */
  loadMore(): void;
  /** Reads from the start, and keeps what is shown until the answer is there. */
  reload(): void;
  /** Looks what is newest, and puts it over what is shown; says nothing when that does not work. */
  freshen(): void;
  /** Changes what is shown, after a command changed it on the server; what was changed already stays as it is. */
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

/** Reads a list of the current server. */
export function useList<T>(source: ListSource<T>): RemoteList<T> {
  const { whose } = source;
  const [held, setHeld] = useState<Held<T>>({ ...START, isLoading: whose !== null });
  // An answer to an older question says nothing about this one.
  const reading = useRef(0);
  const freshening = useRef(0);
  // What is on its way from the start may have been read before these changes; `null` when nothing is.
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
      // More came than one page holds: what lies between is not known.
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

/** Two parts of a list in their order; what both hold is the first one's. */
function append<T>(first: readonly T[], second: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const known = new Set(first.map(keyOf));
  return [...first, ...second.filter((item) => !known.has(keyOf(item)))];
}
