import './menu.css';
import type { LucideIcon } from 'lucide-react';
import { type KeyboardEvent, useId, useRef } from 'react';
import { IconButton } from './button.tsx';

export interface MenuItem {
  label: string;
  icon?: LucideIcon;
  /** Shown below the label. */
  hint?: string;
  danger?: boolean;
  /** Whether the item is selected. Set it only in a menu that selects one of several values. */
  checked?: boolean;
  run: () => void;
}

/** A button that opens a menu of commands. Arrow keys move in it; Escape or a click outside closes it. */
export function Menu({ icon, label, items }: { icon: LucideIcon; label: string; items: readonly MenuItem[] }) {
  const id = useId();
  return (
    <>
      <IconButton icon={icon} label={label} popoverTarget={id} aria-haspopup="menu" />
      <MenuList id={id} label={label} items={items} />
    </>
  );
}

/** The popup of a menu. The button that opens it has its id as `popoverTarget`. */
export function MenuList({
  id,
  label,
  items,
  side = 'below',
}: {
  id: string;
  label: string;
  items: readonly MenuItem[];
  side?: 'below' | 'above';
}) {
  const ref = useRef<HTMLDivElement>(null);
  return (
    <div
      ref={ref}
      id={id}
      popover="auto"
      role="menu"
      aria-label={label}
      className={`menu is-${side}`}
      onToggle={(event) => event.newState === 'open' && focusItem(ref.current!, 0)}
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

function focusItem(menu: HTMLElement, index: number) {
  itemsOf(menu).at(index)?.focus();
}

function moveFocus(event: KeyboardEvent, menu: HTMLElement) {
  const items = itemsOf(menu);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const next = { ArrowDown: (at + 1) % items.length, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
  if (event.key === 'Tab') menu.hidePopover();
  if (next === undefined) return;
  event.preventDefault();
  focusItem(menu, next);
}
