/**
 * Reads an address that a server gave, before it is opened in a browser.
 *
 * @returns The parsed address; `null` unless it is an `http:` or `https:` address without a user name or password.
 */
export function parseWebAddress(text: string): URL | null {
  const url = URL.parse(text);
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  return isWeb && url.username === '' && url.password === '' && url.hostname !== '' ? url : null;
}
