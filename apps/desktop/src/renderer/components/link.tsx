import './link.css';
import type { ReactNode } from 'react';
import { useShell } from '../state/shell.ts';

/** A link that opens in the system browser. */
export function Link({ url, className = '', children }: { url: string; className?: string; children?: ReactNode }) {
  const { desktop, ask } = useShell();
  return (
    <a
      href={url}
      title={url}
      draggable={false}
      className={`link ${className}`}
      onClick={(event) => {
        event.preventDefault();
        void ask(desktop.commands.openLink({ url }));
      }}
    >
      {children ?? url.replace(/^https?:\/\//, '').replace(/\/$/, '')}
    </a>
  );
}
