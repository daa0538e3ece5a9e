import './card.css';
import type { LucideIcon } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useShell } from '../state/shell.ts';

interface CardProps {
  /** Id of the publishing or the folder. */
  id: string;
  name: string;
  icon: LucideIcon;
  tone: string;
  /** Shown beside the icon. */
  title: ReactNode;
  /** The commands, shown at the end of the first line. */
  tools: ReactNode;
  children?: ReactNode;
}

/**
 * The card of a drop or a watched folder. Scrolls into view and takes the focus, so that screen readers announce it, when a
 * notification, the tray or a command navigates to it, even if it mounts after the event.
 */
export function Card({ id, name, icon: Icon, tone, title, tools, children }: CardProps) {
  const ref = useRef<HTMLElement>(null);
  const { route } = useShell();
  useEffect(() => {
    if (route.id !== id) return;
    ref.current!.scrollIntoView({ block: 'center' });
    ref.current!.focus({ preventScroll: true });
  }, [route, id]);
  return (
    <article ref={ref} tabIndex={-1} className="card" aria-label={name}>
      <div className="card-head">
        <span className={`card-icon ${tone}`}>
          <Icon size={18} aria-hidden />
        </span>
        <div className="card-title">{title}</div>
        <div className="card-tools">{tools}</div>
      </div>
      {children}
    </article>
  );
}
