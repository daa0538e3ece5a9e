import { hash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:tls';
import { freePorts } from '@berth/testing/free-ports';
import { launchBrowser, MISSING_BROWSER } from '@berth/testing/browser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBackend } from './backend.ts';
import { type Caddy, hasCaddy, startCaddy } from './caddy.ts';
import { callApi, CLIENT_ADDRESS, type Proxied, publish, testProxy, verifyCustomDomain } from './proxied.ts';
import { createTlsClient } from './tls-client.ts';

/** `UPLOAD_MEBIBYTES=1024` uploads a larger file. */
const UPLOAD_MEBIBYTES = Number(process.env['UPLOAD_MEBIBYTES'] ?? 512);

describe.skipIf(!hasCaddy && !process.env['CI'])('Caddy with the Caddyfile, in front of a server', () => {
  let proxied: Proxied;
  let caddy: Caddy;
  let httpsPort: number;

  beforeAll(async () => {
    const [httpPort = 0, freePort = 0] = await freePorts(2);
    httpsPort = freePort;
    const backend = await startBackend(httpsPort);
    caddy = await startCaddy({
      HTTP_PORT: String(httpPort),
      HTTPS_PORT: String(httpsPort),
      BASE_URL: backend.api,
      PLATFORM_DOMAIN: backend.platformDomain,
      BERTH_UPSTREAM: `127.0.0.1:${backend.port}`,
      BERTH_ADMIN: `127.0.0.1:${backend.adminPort}`,
    });
    proxied = { backend, proxy: caddy.program, client: createTlsClient(caddy.ca, CLIENT_ADDRESS), httpPort };
  });
  afterAll(async () => {
    proxied?.client.close();
    await caddy?.stop();
    await proxied?.backend.stop();
  });

  testProxy(() => proxied, UPLOAD_MEBIBYTES);

  it('gets a certificate for a custom domain at the first visit, once the domain is verified', async () => {
    const name = 'www.customer.dev';
    const url = `https://${name}:${httpsPort}/`;
    const { deployment } = await publish(proxied, 'customer');
    await callApi(proxied, 'PUT', `/domains/${name}`, { deployment });
    await expect(proxied.client.fetch(url)).rejects.toThrow(/internal error/);
    await verifyCustomDomain(proxied, name);
    expect(await proxied.client.fetch(url)).toMatchObject({ status: 200, text: 'customer' });
  });

  it('refuses the handshake for a name that is no domain of the server', async () => {
    const request = proxied.client.fetch(`https://stranger.example:${httpsPort}/`);
    await expect(request).rejects.toThrow(/internal error/);
  });

  it('offers HTTP/3', async () => {
    const { headers } = await proxied.client.fetch(`${proxied.backend.api}/docs`);
    expect(headers['alt-svc']).toContain(`h3=":${httpsPort}"`);
  });

  it.skipIf(MISSING_BROWSER !== null)('serves Chromium over HTTP/3', async () => {
    // HTTP/3 starts with UDP, so a browser needs a reason not to begin with TCP. It accepts only this certificate.
    const browser = await launchBrowser({
      switches: [
        `--origin-to-force-quic-on=localhost:${httpsPort}`,
        `--ignore-certificate-errors-spki-list=${await publicKeyHash(httpsPort, caddy.ca)}`,
      ],
    });
    try {
      const page = await browser.newPage();
      expect((await page.goto(`${proxied.backend.api}/docs`))!.status()).toBe(200);
      const protocol = await page.evaluate("performance.getEntriesByType('navigation')[0].nextHopProtocol");
      expect(protocol).toBe('h3');
    } finally {
      await browser.close();
    }
  });
});

/** Returns the SHA-256 of the public key of a server's certificate, in base64. */
async function publicKeyHash(port: number, ca: Buffer): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca });
  await once(socket, 'secureConnect');
  const publicKey = socket.getPeerX509Certificate()!.publicKey.export({ type: 'spki', format: 'der' });
  socket.destroy();
  return hash('sha256', publicKey, 'base64');
}
