/** What can make the page ask again who is signed in. */
const CHANNEL = 'berth-session';

const target = new EventTarget();
const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(CHANNEL) : null;
channel?.addEventListener('message', () => target.dispatchEvent(new Event('change')));

/** Reports that the server no longer accepts the session, or that this page has changed it. Other tabs do not learn it. */
export function reportSessionChange(): void {
  target.dispatchEvent(new Event('change'));
}

/** Lets the other tabs ask again who is signed in, because this tab has changed it. */
export function announceSessionChange(): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a broadcast channel has no target
  channel?.postMessage(null);
}

/** Calls a listener when the session may have changed or ended. @returns A function that removes the listener. */
export function onSessionChange(listener: () => void): () => void {
  target.addEventListener('change', listener);
  return () => target.removeEventListener('change', listener);
}
