import type { Addresses } from '@berth/core';
import type { Config } from './config.ts';

/** The addresses that answers contain, from the configuration. Source: api §10. */
export function addressesOf(config: Config): Addresses {
  const { publicScheme, platformDomain, platformHost, cnameTarget } = config;
  const port = platformDomain.slice(platformHost.length);
  return {
    platformDomain,
    platformHost,
    cnameTarget,
    apexAddresses: config.apexAddresses,
    serviceHosts: new Set([config.apiHost, new URL(config.claimUrl).hostname, cnameTarget]),
    site: (id) => `${publicScheme}://${id}.${platformDomain}`,
    domain: (name) => `${publicScheme}://${name}${port}`,
    claim: (hash) => `${config.claimUrl}/${hash}`,
    share: (hash) => `${config.baseUrl.origin}/setup/${hash}`,
  };
}
