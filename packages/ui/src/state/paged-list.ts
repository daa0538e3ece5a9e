import {
  type InfiniteData,
  type QueryClient,
  type QueryKey,
  useInfiniteQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import type { Answer, Problem } from '../backend.ts';
import { useAccount } from './account.ts';
import { useBackend } from './backend.ts';
import { valueOf } from './query.ts';

interface Page<T> {
  items: readonly T[];
  nextCursor: string | undefined;
}

export interface ListSource<T> {
  /** Identifies the list among the lists of the account. */
  name: readonly unknown[];
  read(cursor: string | undefined): Promise<Answer<Page<T>>>;
  /** Returns a key that is unique among the items. */
  keyOf(item: T): string;
}

type Change<T> = (items: readonly T[]) => readonly T[];

/** A list that is loaded page by page. */
export interface List<T> {
  items: readonly T[];
  isLoading: boolean;
  /** Why the last page could not be loaded. */
  problem: Problem | null;
  hasMore: boolean;
  /** Loads the next page, unless a page is already being loaded. */
  loadMore(): void;
  /** Loads again from the start. Keeps the items of the first page until the answer arrives. */
  reload(): void;
  /** Loads the newest items and merges them in front of the current ones. Ignores failures. */
  refresh(): Promise<void>;
  /** Changes the items. @param by Must be idempotent: it is applied again to an answer that was requested earlier. */
  change(by: Change<T>): void;
  /** Replaces the item that has a key, or removes the item with `null`. */
  replace(key: string, item: T | null): void;
}

/** Returns a list of the account. It starts again when the account or the name of the list changes, and after a gap in the activities. */
export function usePagedList<T>(source: ListSource<T>): List<T> {
  const { accountKey } = useAccount();
  const queryKey = [accountKey, ...source.name];
  const { data, error, isFetching, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => valueOf(source.read(pageParam)),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }: Page<T>) => nextCursor,
  });
  const actions = useListActions(queryKey, source, isFetching);
  useReloadAfterGap(actions.reload);
  const pages = data?.pages;
  const items = useMemo(() => unique(pages?.flatMap(({ items }) => items) ?? [], source.keyOf), [pages]);
  const hasMore = data === undefined || hasNextPage;
  return useMemo(
    () => ({
      ...actions,
      items,
      isLoading: isFetching,
      problem: isFetching ? null : error,
      hasMore,
      loadMore: () => {
        if (hasMore && !isFetching) void fetchNextPage({ cancelRefetch: false });
      },
    }),
    [actions, items, isFetching, error, hasMore, fetchNextPage],
  );
}

function useListActions<T>(queryKey: QueryKey, source: ListSource<T>, isFetching: boolean) {
  const client = useQueryClient();
  const latestSource = useRef(source);
  latestSource.current = source;
  const key = JSON.stringify(queryKey);
  const { close, repeatChanges, ...actions } = useMemo(
    () => createListActions(client, queryKey, () => latestSource.current),
    [client, key],
  );
  // A list that is opened again begins with its first page.
  useEffect(() => close, [close]);
  // Before the browser draws an answer that was requested before a change.
  useLayoutEffect(() => {
    if (!isFetching) repeatChanges();
  }, [isFetching, repeatChanges]);
  return useMemo(() => actions, [close]);
}

function createListActions<T>(client: QueryClient, queryKey: QueryKey, source: () => ListSource<T>) {
  let lastRefresh = 0;
  /** The changes that were made while an answer was awaited that may not contain them. */
  let pendingChanges: Change<T>[] = [];
  /** The changes since the last refresh was sent; `null` if no refresh is running. */
  let changesSinceRefresh: Change<T>[] | null = null;
  const setPages = (by: (pages: readonly Page<T>[]) => Page<T>[]) =>
    client.setQueryData<InfiniteData<Page<T>, string | undefined>>(queryKey, (data) => {
      if (data === undefined) return undefined;
      const pages = by(data.pages);
      return { pages, pageParams: data.pageParams.slice(0, pages.length) };
    });
  const keepFirstPage = () => setPages((pages) => pages.slice(0, 1));
  const reload = () => {
    keepFirstPage();
    void client.invalidateQueries({ queryKey, exact: true });
  };
  const change = (by: Change<T>) => {
    if (client.isFetching({ queryKey, exact: true }) > 0) pendingChanges.push(by);
    changesSinceRefresh?.push(by);
    setPages((pages) => changeItems(pages, by));
  };
  const replace = (key: string, item: T | null) =>
    change((items) =>
      items.map((each) => (source().keyOf(each) === key ? item : each)).filter((each) => each !== null),
    );
  const refresh = async () => {
    const { read, keyOf } = source();
    const refreshNumber = ++lastRefresh;
    changesSinceRefresh = [];
    const answer = await read(undefined);
    if (refreshNumber !== lastRefresh) return;
    const missedChanges = changesSinceRefresh;
    changesSinceRefresh = null;
    if (!answer.ok) return;
    const newestItems = answer.value.items;
    const { pages = [] } = client.getQueryData<InfiniteData<Page<T>>>(queryKey) ?? {};
    const knownKeys = new Set(pages.flatMap(({ items }) => items.map(keyOf)));
    // Without a known item on the page, items may be missing between the page and the list, so reload.
    if (knownKeys.size > 0 && !newestItems.some((item) => knownKeys.has(keyOf(item)))) return reload();
    setPages((pages) => changeItems(pages, (items) => unique([...newestItems, ...items], keyOf)));
    for (const by of missedChanges) setPages((pages) => changeItems(pages, by));
  };
  return {
    reload,
    change,
    replace,
    refresh,
    repeatChanges() {
      const changes = pendingChanges;
      pendingChanges = [];
      for (const by of changes) setPages((pages) => changeItems(pages, by));
    },
    /** Ignores the answer to a refresh. */
    close() {
      lastRefresh++;
      keepFirstPage();
    },
  };
}

/** Changes the items of all pages. The first page then has all items, and each page keeps its cursor. */
function changeItems<T>(pages: readonly Page<T>[], by: Change<T>): Page<T>[] {
  const items = by(pages.flatMap(({ items }) => items));
  return pages.map(({ nextCursor }, index) => ({ items: index === 0 ? items : [], nextCursor }));
}

function unique<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const seenKeys = new Set<string>();
  return items.filter((item) => {
    const key = keyOf(item);
    const isNew = !seenKeys.has(key);
    seenKeys.add(key);
    return isNew;
  });
}

/** Reloads a list when the server is reachable again and when the event stream starts, because earlier events were missed. */
function useReloadAfterGap(reload: () => void) {
  const { onResume } = useBackend();
  const { isConnected } = useAccount();
  const wasDisconnected = useRef(false);
  useEffect(() => {
    if (isConnected && wasDisconnected.current) reload();
    wasDisconnected.current = !isConnected;
  }, [isConnected, reload]);
  useEffect(() => onResume(reload), [onResume, reload]);
}
