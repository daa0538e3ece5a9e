import type { CreatedDeployment, Domain } from '@berth/contract';
import type { Entry } from '../../src/main/publishing/entry.ts';
import type { Published } from '../../src/shared/publishing.ts';

/** The current time in the tests, in Unix milliseconds. */
export const NOW = 1_790_000_000_000;

/** The result of publishing one file. */
export const PUBLISHED: Published = {
  deployment: 'calm-otter-4k9x2qd',
  url: 'https://calm-otter-4k9x2qd.sites.example',
  domain: null,
  server: 'https://berth.example',
  files: 1,
  bytes: 1,
  at: NOW,
  expires: null,
  claim: null,
  password: false,
  copied: false,
  notices: [],
};

/** A dropped folder that is queued. */
export const ENTRY: Entry = {
  id: '0123456789abcdef',
  name: 'site',
  begun: NOW,
  server: 'https://berth.example',
  anonymous: false,
  source: { kind: 'folder', path: '/srv/site' },
  options: {},
  password: false,
  sure: false,
  state: { is: 'unfinished' },
  leftOut: [],
};

export const DEPLOYMENT: CreatedDeployment = {
  deployment: PUBLISHED.deployment,
  url: PUBLISHED.url,
  files: 2,
  size: 20,
  status: 'success',
  password: false,
  via: 'desktop',
  labels: [],
  domains: [],
  created: NOW / 1_000,
};

/** A domain that shows the deployment. */
export const DOMAIN: Domain = {
  domain: 'www.example.com',
  url: 'https://www.example.com',
  deployment: DEPLOYMENT.deployment,
  status: 'success',
  labels: [],
  created: NOW / 1_000,
  linked: NOW / 1_000,
  links: 1,
};
