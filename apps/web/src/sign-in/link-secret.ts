/** The secrets of links of the console, by the path of the page that uses them. */
const PAGES: Readonly<Record<string, { pattern: RegExp; page: string }>> = {
  '/': { pattern: /^#first=([0-9a-f]{32})$/, page: '/app/first' },
  '/app/invite': { pattern: /^#([0-9a-f]{32})$/, page: '/app/invite' },
};

let secret: string | null = null;

/**
 * Takes the secret of a one-time link or of an invitation out of the address of the page, so that neither the history nor a person
 * who reads the screen has it. Call it before the page is drawn, and when the fragment changes. Source: api §13; security T44.
 */
export function takeLinkSecret(): void {
  const link = PAGES[location.pathname];
  const found = link?.pattern.exec(location.hash)?.[1];
  if (link === undefined || found === undefined) return;
  secret = found;
  history.replaceState(null, '', link.page);
}

/** The secret of the link that opened the console; `null` if there was none, or after a reload. */
export function linkSecret(): string | null {
  return secret;
}

/** Forgets the secret, because it was used. */
export function dropLinkSecret(): void {
  secret = null;
}
