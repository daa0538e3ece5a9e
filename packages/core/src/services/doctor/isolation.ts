import { parse } from 'tldts';
import { type Check, finding, note } from './checks.ts';

/** Checks whether browsers isolate sites from the API. Source: security T13. */
export const isolation: Check = {
  name: 'isolation',
  title: 'Isolation of sites in browsers',
  async *run(core, { apiHost }) {
    const sites = core.addresses.platformDomain.replace(/:\d+$/, '');
    const platform = parse(sites, { allowPrivateDomains: true });
    const api = parse(apiHost, { allowPrivateDomains: true });
    const isKnownSuffix = platform.isIcann === true || platform.isPrivate === true;
    if (isKnownSuffix && platform.publicSuffix === sites)
      yield note(`${sites} is a public suffix: browsers isolate its sites from the API and from each other.`);
    else if (!isKnownSuffix)
      yield finding(
        'advice',
        `${sites} is only suitable for trying things out: its sites share cookies with each other. For production, set PLATFORM_DOMAIN to a registered domain that does not contain the API.`,
      );
    else if (platform.domain === api.domain)
      yield finding(
        'advice',
        `Sites are under ${sites} and the API is at ${apiHost}, both under ${platform.domain}: a page of a site can set cookies for the host of the API. Use another registrable domain for PLATFORM_DOMAIN, or submit ${sites} to the Public Suffix List.`,
      );
    else
      yield note(
        `Sites are under ${platform.domain}, the API is not. Sites still share cookies with each other unless ${sites} is in the Public Suffix List.`,
      );
  },
};
