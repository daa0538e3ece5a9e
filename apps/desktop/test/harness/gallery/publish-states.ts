import {
  appState,
  deploymentId,
  folder,
  grant,
  HOUR,
  MINUTE,
  NOW,
  NOW_SECONDS,
  problem,
  published,
  publishing,
  SIGNED_OUT,
} from './sample.ts';
import type { GalleryState } from './state.ts';

const MB = 1_000_000;
const CLAIM = 'https://berth.example/claim/0123456789abcdef0123456789abcdef';

export const PUBLISH_STATES: readonly GalleryState[] = [
  {
    name: 'publish-empty',
    about: 'Nothing dropped yet',
    page: 'publish',
    state: appState(),
    shows: ['Drop a folder, get a link', 'Choose folder…', 'Choose files…', 'Domain, password, labels'],
    kept: true,
  },
  {
    name: 'publish-empty-signed-out',
    about: 'The same without an account',
    page: 'publish',
    state: appState({ session: SIGNED_OUT }),
    shows: ['no account needed', 'lasts 3 days', 'Not signed in'],
  },
  {
    name: 'publish-options',
    about: 'The options for the next drop',
    page: 'publish',
    state: appState(),
    act: async (page) => {
      await page.getByRole('button', { name: 'Domain, password, labels' }).click();
      await page.getByLabel('Domain', { exact: true }).fill('harbour-notes');
      await page.getByLabel('Password', { exact: true }).fill('lantern');
      await page.getByLabel('Labels').fill('review');
      await page.getByLabel('Labels').press('Enter');
    },
    shows: ['The next drop gets', 'harbour-notes', 'a password', 'review', 'Clear'],
    kept: true,
  },
  {
    name: 'publish-published',
    about: 'Links of an account, with the skipped files and the warnings',
    page: 'publish',
    state: appState({
      publishings: [
        publishing(
          1,
          published(1, { copied: true, url: 'https://harbour-notes.sites.example', domain: 'harbour-notes' }),
          {
            leftOut: [
              { reason: 'private', count: 3, paths: ['.env', '.git/config', '.git/HEAD'] },
              { reason: 'ignored', count: 1_204, paths: ['cache/a.bin', 'cache/b.bin'] },
            ],
          },
        ),
        publishing(2, published(2, { password: true, files: 1, bytes: 1_840 }), {
          name: 'menu.pdf',
          kind: 'files',
          watchable: false,
        }),
        publishing(
          5,
          published(5, {
            notices: [
              { file: '_redirects', line: 12, message: 'A rule below a catch-all is never reached.' },
              { file: 'Logo.png', line: null, message: 'Its name differs from logo.png only by case.' },
            ],
          }),
          {
            name: 'a folder with a rather long name that has to be cut off somewhere sensible before it breaks the card',
          },
        ),
      ],
    }),
    shows: [
      'harbour-notes.sites.example',
      'Link copied',
      'Watch this folder…',
      '3 private files skipped: .env, .git/config, .git/HEAD',
      '1,204 ignored files skipped: cache/a.bin, cache/b.bin …',
      'Password-protected',
      '_redirects:12',
    ],
    kept: true,
  },
  {
    name: 'publish-anonymous',
    about: 'Links without an account: the time until they expire, and how to keep them',
    page: 'publish',
    state: appState({
      session: SIGNED_OUT,
      publishings: [
        publishing(1, published(1, { copied: true, expires: NOW_SECONDS + 3 * 86_400 - 180, claim: CLAIM })),
        publishing(8, published(8, { expires: NOW_SECONDS + 2_400, claim: CLAIM }), {
          name: 'landing',
          begun: NOW - 71 * HOUR,
        }),
        publishing(9, published(9, { expires: NOW_SECONDS - 60, claim: null }), {
          name: 'draft',
          begun: NOW - 73 * HOUR,
        }),
      ],
    }),
    shows: [
      'Expires in 2 days 23 hours',
      'Sign in to keep it.',
      'Copy claim link',
      'Expires in 40 minutes',
      'This link has expired',
    ],
    kept: true,
  },
  {
    name: 'publish-working',
    about: 'Every phase of publishing',
    page: 'publish',
    state: appState({
      publishings: [
        publishing(1, { is: 'queued' }, { name: 'handbook' }),
        publishing(2, { is: 'working', progress: { phase: 'listing' } }, { name: 'photos' }),
        publishing(3, {
          is: 'working',
          progress: {
            phase: 'reading',
            done: { files: 1_204, bytes: 41 * MB },
            total: { files: 10_000, bytes: 212 * MB },
            cached: { files: 900, bytes: 30 * MB },
          },
        }),
        publishing(
          4,
          {
            is: 'working',
            progress: {
              phase: 'sending',
              done: { files: 40, bytes: 3.4 * MB },
              total: { files: 128, bytes: 12 * MB },
              bytesPerSecond: 2.1 * MB,
            },
          },
          { name: 'shop' },
        ),
        publishing(
          5,
          {
            is: 'working',
            progress: { phase: 'retrying', attempt: 2, at: NOW + 12_000, reason: 'The server cannot be reached.' },
          },
          { name: 'blog' },
        ),
        publishing(
          6,
          { is: 'working', progress: { phase: 'comparing', total: { files: 12, bytes: 9 } } },
          { name: 'docs' },
        ),
        publishing(7, { is: 'working', progress: { phase: 'finishing' } }, { name: 'slides' }),
        publishing(8, { is: 'working', progress: { phase: 'linking' } }, { name: 'status' }),
      ],
    }),
    shows: [
      'Queued',
      'Scanning folder…',
      '1,204 of 10,000 files · 900 unchanged',
      '3.4 of 12 MB · 2.1 MB/s · 5 s left',
      'Trying again in 12 s…',
      'The server cannot be reached.',
      'Checking what’s already uploaded…',
      'Finishing up…',
      'Updating the address…',
    ],
    kept: true,
  },
  {
    name: 'publish-elsewhere',
    about: 'What is being published while another page is shown',
    page: 'settings',
    state: appState({
      publishings: [
        publishing(1, { is: 'working', progress: { phase: 'finishing' } }),
        publishing(2, { is: 'queued' }, { name: 'handbook' }),
      ],
      folders: [folder(1, 'shop', { is: 'publishing', progress: { phase: 'listing' } })],
    }),
    shows: ['Folders', 'Settings'],
  },
  {
    name: 'publish-elsewhere-problems',
    about: 'What needs an answer from the user while another page is shown',
    page: 'settings',
    state: appState({
      publishings: [
        publishing(1, { is: 'asking', question: { about: 'no-front-page', suggestions: [] } }),
        publishing(2, { is: 'working', progress: { phase: 'finishing' } }),
      ],
      folders: [
        folder(1, 'shop', { is: 'failed', problem: problem('refused', 'It is too large.') }),
        folder(2, 'blog', { is: 'failed', problem: problem('refused', 'It is too large.') }),
      ],
    }),
    shows: ['Folders', '1', '2'],
    kept: true,
  },
  {
    name: 'publish-asking',
    about: 'The question before publishing something that looks like a mistake',
    page: 'publish',
    state: appState({
      publishings: [
        publishing(
          1,
          {
            is: 'asking',
            question: {
              about: 'project',
              suggestions: [
                { grant: grant(1), name: 'dist' },
                { grant: grant(2), name: 'storybook-static' },
              ],
            },
          },
          { name: 'harbour-site' },
        ),
        publishing(2, { is: 'asking', question: { about: 'personal', suggestions: [] } }, { name: 'Documents' }),
        publishing(3, { is: 'asking', question: { about: 'no-front-page', suggestions: [] } }, { name: 'assets' }),
        publishing(
          4,
          { is: 'asking', question: { about: 'pasted', suggestions: [] } },
          { name: 'menu.pdf', kind: 'files', watchable: false },
        ),
      ],
    }),
    shows: [
      'This looks like a project’s source',
      'Publish dist',
      'Publish anyway',
      'Publish this?',
      'Everything in it would be public',
      'There’s no index.html here',
      'You pasted this.',
    ],
    kept: true,
  },
  {
    name: 'publish-failed',
    about: 'What failed: the file, and the next step',
    page: 'publish',
    state: appState({
      publishings: [
        publishing(1, {
          is: 'failed',
          problem: problem('refused', 'The file has 31 MB, and a file may have 20 MB at most.', {
            file: 'media/opening-night.mp4',
            next: 'Take it out of the folder, or choose a plan with larger files.',
          }),
        }),
        publishing(
          2,
          { is: 'failed', problem: problem('unavailable', 'The server is being updated, and takes nothing for now.') },
          { name: 'handbook' },
        ),
        publishing(3, { is: 'cancelled' }, { name: 'photos' }),
      ],
    }),
    shows: [
      'media/opening-night.mp4: The file has 31 MB',
      'Take it out of the folder',
      'Try again',
      'Not published',
      'Nothing was published.',
    ],
    kept: true,
  },
  {
    name: 'publish-long',
    about: 'Many drops',
    page: 'publish',
    state: appState({
      publishings: Array.from({ length: 24 }, (_, number) =>
        publishing(number + 1, published(number + 1), {
          name: `build-${24 - number}`,
          begun: NOW - number * 17 * MINUTE,
        }),
      ),
    }),
    shows: ['build-24', deploymentId(1)],
  },
];
