import './page.css';
import type { ReactNode } from 'react';

/** Layout of a page: title, actions, and the scrolling content below them. */
export function PageFrame({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <>
      <header className="page-head">
        <div>
          <h1 tabIndex={-1}>{title}</h1>
          <div className="page-actions">{actions}</div>
        </div>
      </header>
      <div className="page-body" role="region" aria-label={`${title}: content`} tabIndex={0}>
        <div>{children}</div>
      </div>
    </>
  );
}
