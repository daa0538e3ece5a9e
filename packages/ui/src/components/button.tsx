import './button.css';
import type { ComponentProps } from 'react';
import { LoaderCircle, type LucideIcon } from 'lucide-react';

interface ButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  label: string;
  variant?: 'primary' | 'plain' | 'quiet' | 'danger';
  icon?: LucideIcon;
  /** Whether the button shows a spinner and ignores clicks. */
  busy?: boolean;
  small?: boolean;
}

export function Button({ label, variant = 'plain', icon: Icon, busy = false, small = false, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`button ${variant}${small ? ' is-small' : ''}`}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : rest.onClick}
    >
      {busy ? <LoaderCircle size={15} className="turning" aria-hidden /> : Icon && <Icon size={15} aria-hidden />}
      <span>{label}</span>
    </button>
  );
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  icon: LucideIcon;
  /** Describes the action. Used as the accessible name and the tooltip. */
  label: string;
}

export function IconButton({ icon: Icon, label, className = '', ...rest }: IconButtonProps) {
  return (
    <button type="button" aria-label={label} title={label} {...rest} className={`icon-button ${className}`}>
      <Icon size={16} aria-hidden />
    </button>
  );
}
