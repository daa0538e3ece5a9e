import { parse } from 'tldts';
import { type Check, finding } from './checks.ts';

/** Says whether browsers keep what sites do away from the API. Source: security T13. */
export const isolation: Check = {
  name: 'isolation',
  title: 'What browsers keep apart',
  async *run(core, { apiHost }) {
    const sites = core.addresses.platformDomain.replace(/:\d+$/, '');
    const platform = parse(sites, { allowPrivateDomains: true });
    const api = parse(apiHost, { allowPrivateDomains: true });
    const known = platform.isIcann === true || platform.isPrivate === true;
    if (known && platform.publicSuffix === sites)
      yield {
        kind: 'note',
        message: `${sites} is a public suffix: browsers keep its sites apart from the API and from one another.`,
      };
    else if (!known)
      yield finding(
        'advice',
        `${sites} is good for trying things out: its sites share cookies with one another. To publish, set PLATFORM_DOMAIN to a registered domain that the API is not under.`,
      );
    else if (platform.domain === api.domain)
      yield finding(
        'advice',
        `Sites are under ${sites} and the API is at ${apiHost}, both of them under ${platform.domain}: a page of a site can set cookies for the API's host. Give PLATFORM_DOMAIN another registrable domain, or have ${sites} entered in the Public Suffix List.`,
      );
    else
      yield {
        kind: 'note',
        message: `Sites are under ${platform.domain}, the API is not. Sites still share cookies with one another unless ${sites} is entered in the Public Suffix List.`,
      };
  },
};
