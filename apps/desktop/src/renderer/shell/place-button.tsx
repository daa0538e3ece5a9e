import './place-button.css';
import { LoaderCircle, type LucideIcon } from 'lucide-react';
import type { Page } from '../../shared/contract.ts';
import { useShell } from '../state/shell.ts';
import type { PlaceSign } from './place-sign.ts';

/** Navigation button of a page, with a badge for its current activity. */
export function PlaceButton({
  page,
  label,
  icon: Icon,
  sign = null,
}: {
  page: Page;
  label: string;
  icon: LucideIcon;
  sign?: PlaceSign | null | undefined;
}) {
  const { place, go } = useShell();
  const name = sign === null ? label : `${label}: ${sign.words}`;
  return (
    <button
      type="button"
      className="place"
      title={name}
      aria-label={sign === null ? undefined : name}
      aria-current={place.page === page ? 'page' : undefined}
      onClick={() => go({ page })}
    >
      <Icon size={17} strokeWidth={1.8} aria-hidden />
      <span className="place-name">{label}</span>
      {sign && (
        <span className={`place-sign is-${sign.is}`}>
          {(sign.is !== 'working' || sign.count > 1) && <span>{sign.count}</span>}
          {sign.is === 'working' && <LoaderCircle size={13} strokeWidth={2.4} className="turning" />}
        </span>
      )}
    </button>
  );
}
