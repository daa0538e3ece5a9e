import { isIP } from 'node:net';
import { ClientError } from '@berth/client';

/**
 * The origin of a server from what people type: `berth.example`, `localhost:4000`, `https://berth.example/login`. Without a
 * protocol it is `https:`, and `http:` for this machine and for addresses of the network at home. What follows the host is
 * left out: it is what a browser showed.
 *
 * @throws ClientError `refused` when it is no such address.
 */
export function readServerAddress(typed: string): string {
  const text = typed.trim();
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? URL.parse(text) : withProtocol(text);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!url || !isWeb || url.hostname === '')
    throw new ClientError('refused', `"${text}" is not the address of a server; one is https://berth.example`);
  if (url.username !== '' || url.password !== '')
    throw new ClientError('refused', 'The address of a server has no user name and no password in it.');
  return url.origin;
}

function withProtocol(text: string): URL | null {
  const url = URL.parse(`https://${text}`);
  return url && isNearby(url.hostname) ? URL.parse(`http://${text}`) : url;
}

/** This machine, or an address that no certificate is made for. @param host As a `URL` has it. */
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
