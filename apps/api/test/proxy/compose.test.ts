import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { example, readCompose } from '../deploying/compose-file.ts';
import { CADDY_FOLDER } from './caddy.ts';

/** The ports of Caddy in the image cannot be changed. */
const FIXED_IN_THE_IMAGE = ['HTTP_PORT', 'HTTPS_PORT'];

describe('docker-compose.yml with the profile proxy', () => {
  it('passes Caddy all variables of the Caddyfile and its snippets', async () => {
    const files = ['Caddyfile', ...(await readdir(join(CADDY_FOLDER, 'tls'))).map((name) => `tls/${name}`)];
    const texts = await Promise.all(files.map((file) => readFile(join(CADDY_FOLDER, file), 'utf8')));
    const names = texts.join('').matchAll(/\{(?:\$|env\.)([A-Z0-9_]+)/g);
    const variables = new Set([...names].map(([, name]) => name!));
    for (const name of FIXED_IN_THE_IMAGE) variables.delete(name);
    expect(Object.keys(readCompose().services.proxy.environment).toSorted()).toEqual([...variables].toSorted());
  });

  it.each(['172.29.40', '10.99.7'])(
    'lets Berth trust the proxy alone and listen for it, in the network %s',
    (network) => {
      const { services, networks } = readCompose({ ADMIN_NETWORK: network });
      const apiAddress = services.api.networks.admin.ipv4_address;
      const proxyAddress = services.proxy.networks.admin.ipv4_address;
      expect(networks.admin.ipam.config).toEqual([{ subnet: `${network}.0/28` }]);
      expect([apiAddress, proxyAddress]).toEqual([`${network}.2`, `${network}.3`]);
      expect(services.api.environment).toMatchObject({ TRUST_PROXY: proxyAddress, ADMIN_LISTEN: `${apiAddress}:4001` });
      expect(services.proxy.environment).toMatchObject({
        BERTH_ADMIN: `${apiAddress}:4001`,
        BERTH_UPSTREAM: 'api:4000',
      });
    },
  );

  it('publishes the ports of HTTP, HTTPS and HTTP/3', () => {
    expect(readCompose().services.proxy.ports).toEqual(['80:80', '443:443/tcp', '443:443/udp']);
  });

  it('has an issuer in .env.example that exists', async () => {
    expect(await readdir(join(CADDY_FOLDER, 'tls'))).toContain(`${example['TLS_ISSUER']}.caddy`);
  });
});
