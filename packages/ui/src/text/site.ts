import type { DomainVersion, Site } from '@berth/contract';
import { moment } from '@berth/client/amounts';
import type { Tone } from '../components/status.tsx';

type StateText = readonly [tone: Tone, label: string, hint: string | null];

const STATE_TEXTS: Partial<Record<string, StateText>> = {
  live: ['good', 'Live', null],
  empty: ['quiet', 'Empty', 'No site is shown at this address yet.'],
  pending: ['warn', 'Waiting for DNS', 'No DNS record was found yet. Add the records at your DNS provider.'],
  partial: ['warn', 'DNS incomplete', 'Some DNS records were found, but others are still missing.'],
  paused: ['quiet', 'Paused', 'Your plan does not cover this domain. It is offline until your plan covers it.'],
  'taken-down': ['bad', 'Taken down', 'The operator of this server has taken the site offline.'],
  deleting: ['quiet', 'Being deleted', 'The site is offline, and its files are being removed.'],
};

/** Describes the state of a site. A state that a newer server has added is shown by its name. */
export function siteStateText({ state }: Pick<Site, 'state'>): StateText {
  return STATE_TEXTS[state] ?? ['quiet', state, null];
}

/** Returns the name that people know a site by: the title of its front page, or its address. */
export function siteName({ title, site }: Pick<Site, 'title' | 'site'>): string {
  return title ?? site;
}

const VIA: Partial<Record<string, string>> = {
  api: 'the API',
  cli: 'the CLI',
  desktop: 'the desktop app',
  web: 'the console',
};
const BY: Partial<Record<string, string>> = {
  'api-key': 'API key',
  'deploy-token': 'deploy token',
  operator: 'the operator',
  system: 'the server',
};

/** Says with which tool and credential something was published: `via the CLI · API key a1b2c3d`. A session has no name. */
export function publisherText({
  via,
  by,
  token,
}: {
  via: string;
  by?: string | undefined;
  token?: string | undefined;
}): string {
  const tool = `via ${VIA[via] ?? via}`;
  if (by === undefined || by === 'session') return tool;
  const credential = BY[by] ?? by;
  return token === undefined ? `${tool} · ${credential}` : `${tool} · ${credential} ${token}`;
}

/** Names a version of a domain by the time at which it was published, or first shown. */
export function versionName({ published, linked }: Pick<DomainVersion, 'published' | 'linked'>): string {
  return moment(published?.created ?? linked);
}
