/** Selects elements that may take the focus when a focused element inside them is removed. */
const FOCUSABLE = '[tabindex]';

/**
 * Keeps the focus near its place when the focused element is removed: a button that is replaced, a question that is answered, a card
 * that is dismissed. Moves it to the closest remaining ancestor that can have it, otherwise to the page heading.
 *
 * @returns A function that stops it.
 */
export function keepFocus(): () => void {
  let focused: Element | null = null;
  let around: HTMLElement[] = [];
  const listening = new AbortController();
  document.addEventListener(
    'focusin',
    ({ target }) => {
      focused = target as Element;
      around = boxesAround(focused);
    },
    { signal: listening.signal },
  );
  const observer = new MutationObserver(() => {
    if (focused === null || focused.isConnected) return;
    focused = null;
    if (document.activeElement !== document.body) return;
    const next = around.find((box) => box.isConnected) ?? document.querySelector<HTMLElement>('main h1');
    next?.focus({ preventScroll: true });
  });
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    listening.abort();
    observer.disconnect();
  };
}

/** Innermost first. */
function boxesAround(element: Element): HTMLElement[] {
  const box = element.parentElement?.closest<HTMLElement>(FOCUSABLE);
  return box ? [box, ...boxesAround(box)] : [];
}
