import './nav-button.css';
import { LoaderCircle, type LucideIcon } from 'lucide-react';
import type { Page } from '../../shared/contract.ts';
import { useShell } from '../state/shell.ts';
import type { NavBadge } from './nav-badge.ts';

/** Navigation button of a page, with a badge for its current activity. */
export function NavButton({
  page,
  label,
  icon: Icon,
  badge = null,
}: {
  page: Page;
  label: string;
  icon: LucideIcon;
  badge?: NavBadge | null | undefined;
}) {
  const { route, navigate } = useShell();
  const name = badge === null ? label : `${label}: ${badge.text}`;
  return (
    <button
      type="button"
      className="nav-button"
      title={name}
      aria-label={badge === null ? undefined : name}
      aria-current={route.page === page ? 'page' : undefined}
      onClick={() => navigate({ page })}
    >
      <Icon size={17} strokeWidth={1.8} aria-hidden />
      <span className="nav-label">{label}</span>
      {badge && (
        <span className={`nav-badge is-${badge.is}`}>
          {(badge.is !== 'working' || badge.count > 1) && <span>{badge.count}</span>}
          {badge.is === 'working' && <LoaderCircle size={13} strokeWidth={2.4} className="turning" />}
        </span>
      )}
    </button>
  );
}
