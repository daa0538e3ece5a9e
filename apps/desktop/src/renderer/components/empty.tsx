import './empty.css';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

/** Placeholder for an empty list: says what would appear here and how to add it. */
export function Empty({
  icon: Icon,
  title,
  text,
  children,
}: {
  icon: LucideIcon;
  title: string;
  text: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className="empty">
      <span className="empty-icon">
        <Icon size={24} strokeWidth={1.6} aria-hidden />
      </span>
      <h2>{title}</h2>
      <p className="soft">{text}</p>
      {children && <div className="empty-actions">{children}</div>}
    </div>
  );
}
