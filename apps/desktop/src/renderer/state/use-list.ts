import { useCallback, useEffect, useRef, useState } from 'react';
import type { Answer } from '../../shared/contract.ts';
import type { Problem } from '../../shared/problem.ts';

/** One page of a list, as the server gives it. */
export interface ListPage<T> {
  items: T[];
  nextCursor: string | undefined;
}

/** A list that is read page by page. */
export interface RemoteList<T> {
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
  /** Changes what is shown, after a command changed it on the server. */
  change(by: (items: readonly T[]) => readonly T[]): void;
}

interface Held<T> {
  items: readonly T[];
  cursor: string | undefined;
  hasMore: boolean;
  isLoading: boolean;
  problem: Problem | null;
}

const START = { items: [], cursor: undefined, hasMore: true, isLoading: false, problem: null };

/**
 * Reads a list of the current server.
 *
 * @param read Asks for one page. @param whose Another account or server starts the list anew; `null` reads nothing.
 */
export function useList<T>(
  read: (cursor: string | undefined) => Promise<Answer<ListPage<T>>>,
  whose: string | null,
): RemoteList<T> {
  const [held, setHeld] = useState<Held<T>>(START);
  const reading = useRef(0);
  const latest = useRef(read);
  latest.current = read;

  const fetchPage = useCallback((cursor: string | undefined) => {
    const turn = ++reading.current;
    setHeld((before) => ({ ...before, isLoading: true, problem: null }));
    void latest.current(cursor).then((answer) => {
      // An answer to an older question says nothing about this one.
      if (turn !== reading.current) return;
      setHeld((before) => {
        if (!answer.ok) return { ...before, isLoading: false, problem: answer.problem };
        const { items, nextCursor } = answer.value;
        return {
          items: cursor === undefined ? items : [...before.items, ...items],
          cursor: nextCursor,
          hasMore: nextCursor !== undefined,
          isLoading: false,
          problem: null,
        };
      });
    });
  }, []);

  useEffect(() => {
    setHeld(START);
    if (whose !== null) fetchPage(undefined);
    return () => void reading.current++;
  }, [whose, fetchPage]);

  const { cursor, hasMore, isLoading, items, problem } = held;
  return {
    items,
    isLoading: isLoading || (items.length === 0 && hasMore && problem === null && whose !== null),
    problem,
    hasMore,
    loadMore: useCallback(() => {
      if (hasMore && !isLoading) fetchPage(cursor);
    }, [hasMore, isLoading, cursor, fetchPage]),
    reload: useCallback(() => fetchPage(undefined), [fetchPage]),
    change: useCallback((by) => setHeld((before) => ({ ...before, items: by(before.items) })), []),
  };
}
