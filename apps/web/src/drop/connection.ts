/** How often to check whether there is a connection, in milliseconds. The browser reports changes, but not in every case. */
const CHECK_MS = 5_000;

/** Calls a listener with whether there is a connection: when it changes, and from time to time. */
export function onConnectionChange(listener: (isOnline: boolean) => void): void {
  // Some browsers report a change before `navigator.onLine` has changed.
  addEventListener('online', () => listener(true));
  addEventListener('offline', () => listener(false));
  setInterval(() => listener(navigator.onLine), CHECK_MS);
}

/** Resolves when the connection is back, or after a while if the browser has not noticed that it was lost. */
export function nextConnection(): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearInterval(timer);
      removeEventListener('online', end);
      resolve();
    };
    const timer = setInterval(() => navigator.onLine && end(), CHECK_MS);
    addEventListener('online', end);
  });
}
