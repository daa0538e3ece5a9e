const KEY = 'berth-return';
/** A one-time link works for this time. */
const REMEMBERED_MS = 15 * 60_000;

/**
 * Returns the page of the console to open after signing in: `to` of the query, if it is a path of this server, otherwise the start
 * page. After a failure at a provider it is the page that {@link rememberReturn} has stored. Another site cannot use it to redirect
 * people. Source: security T44.
 */
export function returnPath(search: string): string {
  const query = new URLSearchParams(search);
  return ownPath(query.get('to')) ?? (query.has('problem') ? rememberedReturn() : null) ?? '/';
}

/** Returns the address of the sign-in page that leads back to a page. */
export function signInPath(back: string): string {
  return pathBackTo('/app/sign-in', back);
}

/** Returns the address of a page of the console that leads back to another one. */
export function pathBackTo(page: string, back: string): string {
  return back === '/' ? page : `${page}?to=${encodeURIComponent(back)}`;
}

/** Stores the page to return to, for a one-time link or an invitation, which may open in another tab of this browser. */
export function rememberReturn(back: string): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ back, at: Date.now() }));
  } catch {
    // A browser that stores nothing opens the start page.
  }
}

/** Returns what {@link rememberReturn} has stored in the last 15 minutes; `null` for nothing. */
function rememberedReturn(): string | null {
  try {
    const { back, at } = Object(JSON.parse(localStorage.getItem(KEY) ?? 'null')) as { back?: unknown; at?: unknown };
    const isFresh = typeof at === 'number' && Date.now() - at < REMEMBERED_MS;
    return isFresh && typeof back === 'string' ? ownPath(back) : null;
  } catch {
    return null;
  }
}

/** Returns the page that {@link rememberReturn} has stored, or the start page, and forgets it. */
export function takeReturn(): string {
  const back = rememberedReturn() ?? '/';
  rememberReturn('/');
  return back;
}

function ownPath(to: string | null): string | null {
  const url = to === null ? null : URL.parse(to, location.origin);
  return url?.origin === location.origin && to!.startsWith('/') ? url.pathname + url.search : null;
}
