import { type RefObject, useEffect, useRef } from 'react';
import { useShell } from './shell.ts';

/**
 * Scrolls a card into view when a notification, the tray or a command navigates to it, even if the card mounts after the event.
 *
 * @param id Id of the publishing or the folder. @returns The ref for the card, which gets the focus so that screen readers announce it.
 */
export function useScrollToTarget(id: string): RefObject<HTMLElement | null> {
  const ref = useRef<HTMLElement>(null);
  const { route } = useShell();
  useEffect(() => {
    if (route.id !== id) return;
    ref.current!.scrollIntoView({ block: 'center' });
    ref.current!.focus({ preventScroll: true });
  }, [route, id]);
  return ref;
}
