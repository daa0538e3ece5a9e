/**
 * Moves the focus to the closest remaining ancestor with a `tabindex`, or else to the page heading, when the focused element is removed:
 * a button that is replaced, a question that is answered, or a card that is dismissed.
 *
 * @returns A function that stops watching the focus.
 */
export function keepFocus(): () => void {
  let focused: Element | null = null;
  let ancestors: HTMLElement[] = [];
  const listening = new AbortController();
  document.addEventListener(
    'focusin',
    ({ target }) => {
      focused = target as Element;
      ancestors = focusableAncestors(focused);
    },
    { signal: listening.signal },
  );
  const observer = new MutationObserver(() => {
    if (focused === null || focused.isConnected) return;
    focused = null;
    if (document.activeElement !== document.body) return;
    const target = ancestors.find((each) => each.isConnected) ?? document.querySelector<HTMLElement>('main h1');
    target?.focus({ preventScroll: true });
  });
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    listening.abort();
    observer.disconnect();
  };
}

/** Returns the ancestors that can have the focus, innermost first. */
function focusableAncestors(element: Element): HTMLElement[] {
  const closest = element.parentElement?.closest<HTMLElement>('[tabindex]');
  return closest ? [closest, ...focusableAncestors(closest)] : [];
}
