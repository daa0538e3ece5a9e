import './empty.css';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

/** What stands where there is nothing to list: what would be here, and how it gets here. */
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
