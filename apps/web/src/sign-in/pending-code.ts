const KEY = 'berth-pending-code';
/** How long a code works, in milliseconds. */
const VALID_MS = 10 * 60_000;

/** Remembers in this tab that a code was sent to an e-mail address, so that its form survives a reload. `null` forgets it. */
export function rememberCode(email: string | null): void {
  if (email === null) storageOfTab()?.removeItem(KEY);
  else storageOfTab()?.setItem(KEY, JSON.stringify({ email, sentMs: Date.now() }));
}

/** Returns the address to which a code was sent that still works; `null` for none. */
export function pendingCode(): string | null {
  const text = storageOfTab()?.getItem(KEY) ?? null;
  if (text === null) return null;
  const { email, sentMs } = JSON.parse(text) as { email: string; sentMs: number };
  return Date.now() - sentMs < VALID_MS ? email : null;
}

/** Browsers that block cookies refuse to store anything. */
function storageOfTab(): Storage | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}
