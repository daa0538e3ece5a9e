import { type RefObject, useEffect, useRef } from 'react';
import { useShell } from './shell.ts';

/**
 * Brings a card into sight when a notification, the tray or a command means it, also when the card comes after the word of it.
 *
 * @param id Of the publishing or the folder. @returns for the card; it takes the focus, so that ears are told of it too.
 */
export function useMeant(id: string): RefObject<HTMLElement | null> {
  const ref = useRef<HTMLElement>(null);
  const { place } = useShell();
  useEffect(() => {
    if (place.id !== id) return;
    ref.current!.scrollIntoView({ block: 'center' });
    ref.current!.focus({ preventScroll: true });
  }, [place, id]);
  return ref;
}
