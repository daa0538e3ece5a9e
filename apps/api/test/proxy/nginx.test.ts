import { freePorts } from '@berth/testing/free-ports';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBackend } from './backend.ts';
import { hasNginx, type Nginx, startNginx } from './nginx.ts';
import { callApi, CLIENT_ADDRESS, type Proxied, publish, testProxy, verifyCustomDomain } from './proxied.ts';
import { createTlsClient } from './tls-client.ts';

const UPLOAD_MEBIBYTES = 100;
const CUSTOM_DOMAIN = 'www.customer.dev';

describe.skipIf(!hasNginx && !process.env['CI'])(
  'nginx with the configuration of docs/proxies.md, in front of a server',
  () => {
    let proxied: Proxied;
    let nginx: Nginx;
    let httpsPort: number;

    beforeAll(async () => {
      const [httpPort = 0, freePort = 0] = await freePorts(2);
      httpsPort = freePort;
      const backend = await startBackend(httpsPort);
      nginx = await startNginx({ httpPort, httpsPort, port: backend.port, customDomain: CUSTOM_DOMAIN });
      proxied = { backend, proxy: nginx.program, client: createTlsClient(nginx.ca, CLIENT_ADDRESS), httpPort };
    });
    afterAll(async () => {
      proxied?.client.close();
      await nginx?.stop();
      await proxied?.backend.stop();
    });

    testProxy(() => proxied, UPLOAD_MEBIBYTES);

    it('serves a custom domain that has its own server block', async () => {
      const { deployment } = await publish(proxied, 'customer');
      await callApi(proxied, 'PUT', `/domains/${CUSTOM_DOMAIN}`, { deployment });
      await verifyCustomDomain(proxied, CUSTOM_DOMAIN);
      const url = `https://${CUSTOM_DOMAIN}:${httpsPort}/`;
      expect(await proxied.client.fetch(url)).toMatchObject({ status: 200, text: 'customer' });
    });

    it('refuses the handshake for other names', async () => {
      const request = proxied.client.fetch(`https://stranger.example:${httpsPort}/`);
      await expect(request).rejects.toThrow(/unrecognized name/);
    });
  },
);
