import { isIP } from 'node:net';
import { ClientError } from '@berth/client';

/**
 * Parses a server address that the user has typed: `berth.example`, `localhost:4000`, `https://berth.example/login`. The default
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
  return isIP(host) !== 0 && /^(?:127|10|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\./.test(host);
}
