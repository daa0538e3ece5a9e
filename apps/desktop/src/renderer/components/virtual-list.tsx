import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';

const MARGIN_ROWS = 8;

/**
 * A list of rows of one height, of which only those in sight are in the page, so that ten thousand cost as much as twenty.
 *
 * @param kept The key of a row that stays in the page though it is out of sight, such as one that is being edited.
 */
export function VirtualList<T>({
  items,
  rowHeight,
  keyOf,
  label,
  kept,
  onEnd,
  children,
}: {
  items: readonly T[];
  rowHeight: number;
  keyOf: (item: T) => string;
  label: string;
  kept?: string | null;
  /** Called when the last rows come in sight. */
  onEnd?: () => void;
  children: (item: T) => ReactNode;
}) {
  const ref = useRef<HTMLUListElement>(null);
  const [from, to] = useRowsInSight(ref, items.length, rowHeight);
  const isAtEnd = to >= items.length;
  useEffect(() => {
    if (isAtEnd) onEnd?.();
  }, [isAtEnd, items.length, onEnd]);

  const keptIndex = kept ? items.findIndex((item) => keyOf(item) === kept) : -1;
  const indexes = Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
  if (keptIndex >= 0 && (keptIndex < from || keptIndex >= to)) indexes.push(keptIndex);
  return (
    <ul
      ref={ref}
      aria-label={label}
      className="rows"
      style={{ height: items.length * rowHeight, position: 'relative' }}
    >
      {indexes.map((index) => {
        const item = items[index];
        if (item === undefined) return null;
        return (
          <li
            key={keyOf(item)}
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

function useRowsInSight(ref: { current: HTMLElement | null }, count: number, rowHeight: number): [number, number] {
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
