/**
 * Sends a request with the cookie of the session, and a header that no page of another site can send. The server accepts the
 * cookie by this header where browsers send no Fetch Metadata. Source: api §13.
 */
export const consoleFetch: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('X-Berth-Console', '1');
  return fetch(input, { ...init, headers, credentials: 'same-origin' });
};
