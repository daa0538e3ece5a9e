import { isIP } from 'node:net';
import { ClientError } from '@berth/client';

/**
 * Parses what a user types as a server address: `berth.example`, `localhost:4000`, `https://berth.example/login`. The default
 * protocol is `https:`, or `http:` for this machine and for addresses in the local network. Everything after the host is ignored,
 * because users paste addresses from a browser.
 *
 * @returns The origin of the server.
 * @throws ClientError `refused` when the address is invalid.
 */
export function readServerAddress(typed: string): string {
  const text = typed.trim();
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? URL.parse(text) : withProtocol(text);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!url || !isWeb || url.hostname === '')
    throw new ClientError('refused', `"${text}" is not a server address. Enter one like https://berth.example`);
  if (url.username !== '' || url.password !== '')
    throw new ClientError('refused', 'A server address cannot contain a user name or password.');
  return url.origin;
}

function withProtocol(text: string): URL | null {
  const url = URL.parse(`https://${text}`);
  return url && isNearby(url.hostname) ? URL.parse(`http://${text}`) : url;
}

/** True for this machine and for local addresses, which cannot have a certificate. @param host The `hostname` of a `URL`. */
function isNearby(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  if (host.startsWith('[')) return /^\[(?:::1\]|f[cd]|fe[89ab])/.test(host);
  if (isIP(host) === 0) return false;
  const [first = 0, second = 0] = host.split('.').map(Number);
  return (
    first === 127 ||
    first === 10 ||
    (first === 192 && second === 168) ||
    (first === 172 && second >= 16 && second < 32) ||
    (first === 169 && second === 254)
  );
}
