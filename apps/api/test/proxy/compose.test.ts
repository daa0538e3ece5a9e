import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../src/config/config.ts';
import { CADDY_FOLDER } from './caddy.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const FILLED_IN = {
  BASE_URL: 'https://api.example.com',
  PLATFORM_DOMAIN: 'sites.example.net',
};
/** The ports of Caddy in the image cannot be changed. */
const FIXED_IN_THE_IMAGE = ['HTTP_PORT', 'HTTPS_PORT'];

interface Service {
  environment: Record<string, string>;
  networks: { admin: { ipv4_address: string; aliases: string[] } };
  ports: string[];
}
interface Compose {
  services: Record<'api' | 'proxy', Service>;
  networks: { admin: { ipam: { config: { subnet: string }[] } } };
}

const composeText = await readFile(join(ROOT, 'docker-compose.yml'), 'utf8');
const example = parseEnv(await readFile(join(ROOT, '.env.example'), 'utf8'));

/** Replaces the variables of a compose file, also in the defaults of other variables. */
function interpolate(text: string, env: Record<string, string | undefined>): string {
  const replaced = text.replace(
    /\$\{([A-Z0-9_]+)(?::(-|\?)([^${}]*))?\}/g,
    (_match, name: string, kind?: string, fallback = '') => env[name] || (kind === '-' ? fallback : ''),
  );
  return replaced === text ? text : interpolate(replaced, env);
}

/** Reads the compose file with the sample environment, in which the two domains are filled in. */
const readCompose = (env: Record<string, string> = {}) =>
  parse(interpolate(composeText, { ...example, ...FILLED_IN, ...env }), { merge: true }) as Compose;

describe('docker-compose.yml with the profile proxy', () => {
  it('starts Berth with the listener that Caddy asks, if the two domains are filled in', () => {
    const { SECRET_KEY_FILE: _key, DATABASE_URL_FILE: _url, ...environment } = readCompose().services.api.environment;
    const config = readConfig({ ...example, ...environment });
    expect(config).toMatchObject({
      mode: 'production',
      apiHost: 'api.example.com',
      platformHost: 'sites.example.net',
      adminListen: { host: '172.29.40.2', port: 4001 },
      trustedProxies: ['172.29.40.3'],
      tlsOnDemand: 'all',
    });
  });

  it('passes Caddy all variables of the Caddyfile and its snippets', async () => {
    const snippets = ['tls', 'nodes'].map(async (folder) =>
      (await readdir(join(CADDY_FOLDER, folder))).map((name) => `${folder}/${name}`),
    );
    const files = ['Caddyfile', ...(await Promise.all(snippets)).flat()];
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
      const { ipv4_address: apiAddress, aliases } = services.api.networks.admin;
      expect(aliases).toContain('berth-admin');
      const proxyAddress = services.proxy.networks.admin.ipv4_address;
      expect(networks.admin.ipam.config).toEqual([{ subnet: `${network}.0/28` }]);
      expect([apiAddress, proxyAddress]).toEqual([`${network}.2`, `${network}.3`]);
      expect(services.api.environment).toMatchObject({ TRUST_PROXY: proxyAddress, ADMIN_LISTEN: `${apiAddress}:4001` });
      expect(services.proxy.environment).toMatchObject({
        BERTH_ADMIN: 'berth-admin:4001',
        BERTH_UPSTREAM: 'api:4000',
      });
    },
  );

  it('publishes the ports of HTTP, HTTPS and HTTP/3', () => {
    expect(readCompose().services.proxy.ports).toEqual(['80:80', '443:443/tcp', '443:443/udp']);
  });

  it('takes the variables of Caddy from .env.example, which names an issuer that exists', async () => {
    const { environment } = (parse(composeText, { merge: true }) as Compose).services.proxy;
    const used = Object.values(environment).flatMap((value) => value.match(/(?<=\$\{)[A-Z0-9_]+/g) ?? []);
    expect(used.filter((name) => !(name in example))).toEqual([]);
    expect(await readdir(join(CADDY_FOLDER, 'tls'))).toContain(`${example['TLS_ISSUER']}.caddy`);
  });
});
