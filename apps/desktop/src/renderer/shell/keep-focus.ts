/** What may take the focus of something that vanished in it. */
const STANDS_IN = '[tabindex]';

/**
 * Keeps the focus where it was when what has it leaves the page: a button that becomes another, a question that is answered, a card
 * that is dismissed. It goes to what was around it; on another page, to the heading.
 *
 * @returns what ends it.
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

/** The innermost first. */
function boxesAround(element: Element): HTMLElement[] {
  const box = element.parentElement?.closest<HTMLElement>(STANDS_IN);
  return box ? [box, ...boxesAround(box)] : [];
}
