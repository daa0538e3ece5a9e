import './list.css';
import { LoaderCircle } from 'lucide-react';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { List } from '../state/paged-list.ts';
import { ProblemBox } from './status.tsx';

const MARGIN_ROWS = 8;
const USUAL_TEXT_PX = 16;

interface VirtualListProps<T> {
  items: readonly T[];
  /** The height of a row in CSS pixels, if the browser has the usual size of text. */
  rowHeight: number;
  keyOf: (item: T) => string;
  label: string;
  /** The key of a row that must stay in the DOM, such as a row that the user is editing. */
  pinned?: string | undefined;
  children: (item: T) => ReactNode;
}

/** A list of rows of equal height. Only the visible rows and the focused row are in the DOM, so long lists cost no more than short ones. */
export function VirtualList<T>({ items, rowHeight: usualHeight, keyOf, label, pinned, children }: VirtualListProps<T>) {
  const ref = useRef<HTMLUListElement>(null);
  const rowHeight = usualHeight * textScale();
  const [from, to] = useVisibleRows(ref, items.length, rowHeight);
  const [focused, setFocused] = useState<string>();
  const visibleIndexes = Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
  const keptKeys = [pinned, focused].filter((key) => key !== undefined);
  const indexes = new Set([
    ...visibleIndexes,
    ...keptKeys.map((key) => items.findIndex((item) => keyOf(item) === key)),
  ]);
  return (
    <ul
      ref={ref}
      aria-label={label}
      className="rows"
      style={{ height: items.length * rowHeight, position: 'relative' }}
    >
      {[...indexes]
        .toSorted((a, b) => a - b)
        .map((index) => {
          const item = items[index];
          if (item === undefined) return null;
          return (
            <li
              key={keyOf(item)}
              // The row takes the focus when a focused element in it is removed.
              tabIndex={-1}
              onFocus={() => setFocused(keyOf(item))}
              onBlur={() => setFocused(undefined)}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              style={{ position: 'absolute', insetInline: 0, top: index * rowHeight, height: rowHeight }}
            >
              {children(item)}
            </li>
          );
        })}
    </ul>
  );
}

/** Returns by how much the person has enlarged the text of the browser. */
function textScale(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / USUAL_TEXT_PX;
}

function useVisibleRows(ref: { current: HTMLElement | null }, count: number, rowHeight: number): [number, number] {
  const [range, setRange] = useState<[number, number]>([0, Math.min(count, 24)]);
  useLayoutEffect(() => {
    const list = ref.current!;
    const scroller = list.closest<HTMLElement>('.page-body.is-scrolling');
    const measureRange = () => {
      const top = scroller?.getBoundingClientRect().top ?? 0;
      const height = scroller?.clientHeight ?? window.innerHeight;
      const scrolledHeight = top - list.getBoundingClientRect().top;
      const firstIndex = Math.max(0, Math.floor(scrolledHeight / rowHeight) - MARGIN_ROWS);
      const to = Math.min(count, Math.ceil((scrolledHeight + height) / rowHeight) + MARGIN_ROWS);
      setRange((before) => (before[0] === firstIndex && before[1] === to ? before : [firstIndex, to]));
    };
    measureRange();
    const scrolled = scroller ?? window;
    scrolled.addEventListener('scroll', measureRange, { passive: true });
    const observer = new ResizeObserver(measureRange);
    observer.observe(scroller ?? document.documentElement);
    return () => {
      scrolled.removeEventListener('scroll', measureRange);
      observer.disconnect();
    };
  }, [ref, count, rowHeight]);
  return range;
}

/** The end of a paginated list. Loads the next page when it scrolls into view, and shows why a page could not be loaded. */
export function ListEnd<T>({ list }: { list: List<T> }) {
  const ref = useRef<HTMLDivElement>(null);
  const { hasMore, isLoading, loadMore, problem } = list;
  useEffect(() => {
    if (!hasMore || isLoading || problem !== null) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && loadMore(), {
      rootMargin: '400px',
    });
    observer.observe(ref.current!);
    return () => observer.disconnect();
  }, [hasMore, isLoading, loadMore, problem]);
  return (
    <div ref={ref} className="list-end">
      <ProblemBox problem={problem} onRetry={list.items.length > 0 ? loadMore : list.reload} />
      {isLoading && (
        <p className="soft status-line is-quiet">
          <LoaderCircle size={15} className="turning" aria-hidden />
          <span>Loading…</span>
        </p>
      )}
    </div>
  );
}
