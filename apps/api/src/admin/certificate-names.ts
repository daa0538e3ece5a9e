import { isIP } from 'node:net';
import { invalid } from '@berth/core';
import type { LiveSites, VerifiedNames } from '@berth/core/sites';
import type { Config } from '../config/config.ts';
import { siteAddressOf } from '../routing/host-matcher.ts';

interface CertificateParts {
  config: Pick<Config, 'apiHost' | 'platformHost'>;
  /** The names of verified custom domains. */
  verifiedNames: Pick<VerifiedNames, 'has'>;
  /** Finds the sites whose names are allowed in addition; `null` if there are none. */
  sites: Pick<LiveSites, 'find'> | null;
}

const HOST_NAME = /^(?=.{1,253}$)(?:(?!-)[a-z0-9-]{1,63}(?<!-)\.)*(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/**
 * Whether a proxy may request a certificate for a host name: the name of the API, a verified custom domain, or, with `sites`,
 * a deployment or a platform domain that exists. Sites that are paused or taken down count, because visitors get a page.
 *
 * @throws ServiceError `unavailable` if the names are not loaded, or the database is needed and unavailable. Source: api §12.
 */
export async function mayHaveCertificate(
  name: string,
  { config: { apiHost, platformHost }, verifiedNames, sites }: CertificateParts,
): Promise<boolean> {
  if (name === apiHost) return true;
  if (name !== platformHost && !name.endsWith(`.${platformHost}`)) return verifiedNames.has(name);
  const address = sites && siteAddressOf(name, platformHost);
  return address !== null && (await sites!.find(address)) !== null;
}

/**
 * Reads the `domain` of a query: one host name, in any case, with or without a trailing dot.
 *
 * @returns The name in lower case, without the dot.
 * @throws ServiceError `validation_failed` for anything else, such as an IP address, or a name with a port.
 */
export function readDomain(query: URLSearchParams): string {
  const values = query.getAll('domain');
  const name = (values[0] ?? '').toLowerCase().replace(/\.$/, '');
  if (values.length !== 1 || !HOST_NAME.test(name) || isIP(name) !== 0)
    throw invalid('domain', 'the query must have one host name without a port, such as "www.example.com"');
  return name;
}
