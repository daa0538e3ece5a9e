import './link.css';
import type { ComponentProps, MouseEvent } from 'react';
import { type Place, useNavigation } from '../state/navigation.ts';

/** A link to another page of this window. */
export function PlaceLink({ to, ...rest }: Omit<ComponentProps<'a'>, 'href' | 'onClick'> & { to: Place }) {
  const { navigate, hrefOf, hasTabs } = useNavigation();
  const open = (event: MouseEvent) => {
    const wantsTab = event.button === 1 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (event.button === 2 || (hasTabs && wantsTab)) return;
    event.preventDefault();
    navigate(to);
  };
  return <a {...rest} href={hrefOf(to)} onClick={open} onAuxClick={open} />;
}
