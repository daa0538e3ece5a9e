import './virtual-list.css';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';

const MARGIN_ROWS = 8;

/**
 * A list of rows of equal height. Only the visible rows are in the DOM, so ten thousand rows cost as much as twenty.
 *
 * The focused row stays in the DOM even when it is scrolled out of view.
 *
 * @param pinned The key of another row that stays in the DOM, such as one that is being edited.
 */
export function VirtualList<T>({
  items,
  rowHeight,
  keyOf,
  label,
  pinned,
  children,
}: {
  items: readonly T[];
  rowHeight: number;
  keyOf: (item: T) => string;
  label: string;
  pinned?: string | null;
  children: (item: T) => ReactNode;
}) {
  const ref = useRef<HTMLUListElement>(null);
  const [from, to] = useVisibleRows(ref, items.length, rowHeight);
  const [focused, setFocused] = useState<string | null>(null);
  const indexes = new Set(Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index));
  for (const key of [pinned ?? null, focused])
    if (key !== null) indexes.add(items.findIndex((item) => keyOf(item) === key));
  return (
    <ul
      ref={ref}
      aria-label={label}
      className="rows"
      style={{ height: items.length * rowHeight, position: 'relative' }}
    >
      {[...indexes]
        .toSorted((one, other) => one - other)
        .map((index) => {
          const item = items[index];
          if (item === undefined) return null;
          return (
            <li
              key={keyOf(item)}
              // Takes the focus when a focused element inside is removed.
              tabIndex={-1}
              onFocus={() => setFocused(keyOf(item))}
              onBlur={() => setFocused(null)}
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

function useVisibleRows(ref: { current: HTMLElement | null }, count: number, rowHeight: number): [number, number] {
  const [range, setRange] = useState<[number, number]>([0, Math.min(count, 24)]);
  useLayoutEffect(() => {
    const list = ref.current!;
    const scroller = list.closest<HTMLElement>('.page-body') ?? document.documentElement;
    const measure = () => {
      const above = scroller.getBoundingClientRect().top - list.getBoundingClientRect().top;
      const from = Math.max(0, Math.floor(above / rowHeight) - MARGIN_ROWS);
      const to = Math.min(count, Math.ceil((above + scroller.clientHeight) / rowHeight) + MARGIN_ROWS);
      setRange((before) => (before[0] === from && before[1] === to ? before : [from, to]));
    };
    measure();
    scroller.addEventListener('scroll', measure, { passive: true });
    const observer = new ResizeObserver(measure);
    observer.observe(scroller);
    return () => {
      scroller.removeEventListener('scroll', measure);
      observer.disconnect();
    };
  }, [ref, count, rowHeight]);
  return range;
}
