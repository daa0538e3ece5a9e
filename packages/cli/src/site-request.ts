import { get as getHttp, type IncomingHttpHeaders, type RequestOptions } from 'node:http';
import { get as getHttps } from 'node:https';

/** The response of a site. `body` is `null` if it is longer than the limit. */
interface SiteResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer | null;
}

/** True for a site that only this machine can open. */
export function isLocalSite({ hostname }: URL): boolean {
  return hostname.endsWith('.localhost');
}

/**
 * Requests a page of a site, as a browser does, without a key. Follows no redirects.
 *
 * @throws the error of the connection.
 */
export function requestSite(address: URL, signal: AbortSignal, maxBytes = 0): Promise<SiteResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<SiteResponse>();
  const options: RequestOptions = {
    signal,
    headers: { Host: address.host },
    // Browsers resolve names below localhost to this machine; many systems do not.
    ...(isLocalSite(address) && { hostname: '127.0.0.1' }),
  };
  const get = address.protocol === 'https:' ? getHttps : getHttp;
  get(address, options, (response) => {
    const { statusCode: status = 0, headers } = response;
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) chunks.push(chunk);
      else response.destroy();
    });
    response.once('error', reject);
    response.once('close', () => resolve({ status, headers, body: bytes <= maxBytes ? Buffer.concat(chunks) : null }));
  }).once('error', reject);
  return promise;
}
