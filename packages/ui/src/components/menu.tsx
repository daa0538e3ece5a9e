import './menu.css';
import type { LucideIcon } from 'lucide-react';
import { type KeyboardEvent, useId, useRef } from 'react';
import { IconButton } from './button.tsx';

interface MenuItem {
  label: string;
  icon?: LucideIcon;
  hint?: string;
  danger?: boolean;
  /** Whether the item is selected. Only a menu that selects a value sets `checked`. */
  checked?: boolean;
  run: () => void;
}

interface MenuProps {
  label: string;
  items: readonly MenuItem[];
}

/** A button that opens a menu of commands. The arrow keys move in the menu; Escape or a click outside closes it. */
export function Menu({ icon, ...props }: MenuProps & { icon: LucideIcon }) {
  const id = useId();
  return (
    <>
      <IconButton icon={icon} label={props.label} popoverTarget={id} aria-haspopup="menu" />
      <MenuList id={id} {...props} />
    </>
  );
}

/** The popup of a menu. The button that opens it has the id as its `popoverTarget`. */
export function MenuList({ id, label, items, side = 'below' }: MenuProps & { id: string; side?: 'below' | 'above' }) {
  const ref = useRef<HTMLDivElement>(null);
  return (
    <div
      ref={ref}
      id={id}
      popover="auto"
      role="menu"
      aria-label={label}
      className={`menu is-${side}`}
      onToggle={(event) => event.newState === 'open' && itemsOf(ref.current!)[0]?.focus()}
      onKeyDown={(event) => moveFocus(event, ref.current!)}
    >
      {items.map(({ label, icon: Icon, hint, danger, checked, run }) => (
        <button
          key={`${label}${hint}`}
          type="button"
          role={checked === undefined ? 'menuitem' : 'menuitemradio'}
          aria-checked={checked}
          tabIndex={-1}
          className={danger ? 'is-danger' : ''}
          onClick={() => {
            ref.current!.hidePopover();
            run();
          }}
        >
          {Icon && <Icon size={16} aria-hidden />}
          <span className="clip">
            {label}
            {hint !== undefined && <span className="menu-hint clip small soft">{hint}</span>}
          </span>
        </button>
      ))}
    </div>
  );
}

function itemsOf(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('[role^="menuitem"]')];
}

function moveFocus(event: KeyboardEvent, menu: HTMLElement) {
  const items = itemsOf(menu);
  const index = items.indexOf(document.activeElement as HTMLElement);
  const nextIndex = { ArrowDown: (index + 1) % items.length, ArrowUp: index - 1, Home: 0, End: -1 }[event.key];
  if (event.key === 'Tab') menu.hidePopover();
  if (nextIndex === undefined) return;
  event.preventDefault();
  items.at(nextIndex)?.focus();
}
