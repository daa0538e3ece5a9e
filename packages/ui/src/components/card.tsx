import './card.css';
import type { LucideIcon } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useNavigation } from '../state/navigation.ts';

interface CardProps {
  id: string;
  name: string;
  icon: LucideIcon;
  tone: string;
  title: ReactNode;
  tools: ReactNode;
  children?: ReactNode;
}

/** The card of a drop or a watched folder. It scrolls into view and takes the focus when a notification or a command navigates to it. */
export function Card({ id, name, icon: Icon, tone, title, tools, children }: CardProps) {
  const ref = useRef<HTMLElement>(null);
  const { target } = useNavigation();
  useEffect(() => {
    if (target.id !== id) return;
    ref.current!.scrollIntoView({ block: 'center' });
    ref.current!.focus({ preventScroll: true });
  }, [target, id]);
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
