/*
 * Re-typed as data from slorber/trailing-slash-guide, docs/Hosting-Providers.md: the responses of hosts for `file.html`,
 * `folder/index.html`, `both.html` and `both/index.html`. No licence is stated; these are observations.
 * Each host is compared with the settings that come closest to it. `200` does not say which file is served.
 */

/** The requests to each host, in the order of the columns. */
export const columns = [
  '/file',
  '/file/',
  '/file.html',
  '/folder',
  '/folder/',
  '/folder/index.html',
  '/both',
  '/both/',
  '/both.html',
  '/both/index.html',
];

/** One host: its responses by column, and those of Berth where they differ, with the reason. */
export interface Host {
  host: string;
  settings: { cleanUrls?: boolean; trailingSlash?: boolean };
  theirs: string;
  ours?: Record<string, [answer: string, why: string]>;
}

const SLASHED = 'a page requested with a slash is redirected to its address (S15)';
const UNSLASHED = 'a folder requested without a slash is redirected to its address (S15)';
const OWN_INDEX = 'the index page of a folder has the address with a slash (S15)';
const PAGE_FORMS = 'x.html is found at /x without a setting (S15)';
const SAME_FILE = 'a redirect must lead to the same file (S17)';

export const hosts: Host[] = [
  {
    host: 'GitHub Pages',
    settings: {},
    theirs: '200 404 200 ->/folder/ 200 200 200 200 200 200',
    ours: { '/file/': ['->/file', SLASHED] },
  },
  {
    host: 'Netlify',
    settings: {},
    theirs: '200 ->/file 200 ->/folder/ 200 200 200 ->/both 200 200',
    ours: { '/both/': ['200', OWN_INDEX] },
  },
  {
    host: 'Netlify, Pretty URLs on',
    settings: {},
    theirs: '200 ->/file 200 ->/folder/ 200 200 200 ->/both 200 200',
    ours: { '/both/': ['200', OWN_INDEX] },
  },
  {
    host: 'Netlify, Pretty URLs off',
    settings: {},
    theirs: '200 200 200 200 200 200 200 200 200 200',
    ours: { '/file/': ['->/file', SLASHED], '/folder': ['->/folder/', UNSLASHED] },
  },
  {
    host: 'Vercel',
    settings: {},
    theirs: '404 404 200 200 200 200 200 200 200 200',
    ours: {
      '/file': ['200', PAGE_FORMS],
      '/file/': ['->/file', SLASHED],
      '/folder': ['->/folder/', UNSLASHED],
    },
  },
  {
    host: 'Vercel, trailingSlash false',
    settings: { trailingSlash: false },
    theirs: '404 404 200 200 ->/folder 200 200 ->/both 200 200',
    ours: { '/file': ['200', PAGE_FORMS], '/file/': ['->/file', PAGE_FORMS] },
  },
  {
    host: 'Vercel, trailingSlash true',
    settings: { trailingSlash: true },
    theirs: '404 404 200 ->/folder/ 200 200 ->/both/ 200 200 200',
    ours: { '/file': ['->/file/', PAGE_FORMS], '/file/': ['200', PAGE_FORMS] },
  },
  {
    host: 'Vercel, cleanUrls, trailingSlash false',
    settings: { cleanUrls: true, trailingSlash: false },
    theirs: '200 ->/file ->/file 200 ->/folder ->/folder 200 ->/both ->/both ->/both',
    ours: { '/both/index.html': ['200', SAME_FILE] },
  },
  {
    host: 'Vercel, cleanUrls, trailingSlash true',
    settings: { cleanUrls: true, trailingSlash: true },
    theirs: '->/file/ 200 ->/file/ ->/folder/ 200 ->/folder/ ->/both/ 200 ->/both/ ->/both/',
    ours: { '/both.html': ['200', SAME_FILE] },
  },
  {
    host: 'Cloudflare Pages',
    settings: { cleanUrls: true },
    theirs: '200 ->/file ->/file ->/folder/ 200 ->/folder/ 200 200 ->/both ->/both/',
  },
  {
    host: 'Render',
    settings: {},
    theirs: '200 200 200 200 200 200 200 200 200 200',
    ours: { '/file/': ['->/file', SLASHED], '/folder': ['->/folder/', UNSLASHED] },
  },
  {
    host: 'Azure Static Web Apps',
    settings: {},
    theirs: '200 404 200 200 200 200 200 200 200 200',
    ours: { '/file/': ['->/file', SLASHED], '/folder': ['->/folder/', UNSLASHED] },
  },
];
