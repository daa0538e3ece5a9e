import './list-end.css';
import { useEffect, useRef } from 'react';
import { LoaderCircle } from 'lucide-react';
import type { RemoteList } from '../state/use-list.ts';
import { Button } from './button.tsx';
import { ProblemBox } from './problem.tsx';

/** The end of a paginated list: loads the next page when it scrolls into view, and shows a failure. */
export function ListEnd({ list }: { list: RemoteList<unknown> }) {
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
      {problem !== null ? (
        <ProblemBox problem={problem}>
          <Button small onClick={list.items.length > 0 ? list.loadMore : list.reload}>
            Try again
          </Button>
        </ProblemBox>
      ) : (
        isLoading && (
          <p className="soft status-line is-quiet">
            <LoaderCircle size={15} className="turning" aria-hidden />
            <span>Loading…</span>
          </p>
        )
      )}
    </div>
  );
}
