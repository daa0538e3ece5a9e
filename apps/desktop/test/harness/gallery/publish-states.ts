import { deploymentId, HOUR, MINUTE, NOW, NOW_SECONDS } from '@berth/ui/testing/samples';
import {
  BUILD_OUTPUT,
  FAILED_BUILD,
  FAILED_OUTPUT,
  SENDING,
  SIGNED_OUT,
  TOO_LARGE,
  UNREACHABLE,
  appState,
  askingJob,
  folder,
  grantOf,
  problem,
  published,
  publishing,
  workingJob,
} from './sample.ts';
import type { GalleryState } from './window.ts';

const STOPPING = problem('unavailable', 'The service is stopping.', { status: 503, retryAfterSeconds: 5 });
const CLAIM = 'https://berth.example/claim/0123456789abcdef0123456789abcdef';

export const PUBLISH_STATES: readonly GalleryState[] = [
  {
    name: 'publish-empty',
    page: 'publish',
    shows: ['Drop a folder, get a link', 'Choose folder…', 'Choose files…', 'Domain, password, labels'],
    kept: true,
  },
  {
    name: 'publish-empty-signed-out',
    page: 'publish',
    state: appState({ session: SIGNED_OUT }),
    shows: ['no account needed', 'lasts 3 days', 'Not signed in'],
  },
  {
    name: 'publish-options',
    page: 'publish',
    act: async (page) => {
      await page.getByRole('button', { name: 'Domain, password, labels' }).click();
      await page.getByLabel('Domain', { exact: true }).fill('harbour-notes');
      await page.getByLabel('Password', { exact: true }).fill('lantern');
      await page.getByLabel('Labels').fill('review');
      await page.getByLabel('Labels').press('Enter');
    },
    shows: ['The next drop gets', 'harbour-notes', 'a password', 'review', 'Clear'],
  },
  {
    name: 'publish-published',
    page: 'publish',
    state: appState({
      publishings: [
        publishing(
          1,
          published(1, { copied: true, at: NOW, url: 'https://harbour-notes.sites.example', domain: 'harbour-notes' }),
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
              {
                file: '.env.example',
                line: null,
                message: 'The file is stored, but dot files are not served (except under .well-known/).',
              },
              {
                file: 'contact.php',
                line: null,
                message: 'The file is stored, but not served, because it is server code for another host.',
              },
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
      'contact.php',
    ],
    kept: true,
  },
  {
    name: 'publish-anonymous',
    page: 'publish',
    state: appState({
      session: SIGNED_OUT,
      publishings: [
        publishing(1, published(1, { copied: true, at: NOW, expires: NOW_SECONDS + 3 * 86_400 - 180, claim: CLAIM })),
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
    page: 'publish',
    state: appState({
      publishings: [
        publishing(1, { is: 'queued' }, { name: 'handbook' }),
        workingJob(2, 'photos', { phase: 'listing' }),
        workingJob(3, 'dist', {
          phase: 'reading',
          done: { files: 1_204, bytes: 41_000_000 },
          total: { files: 10_000, bytes: 212_000_000 },
          cached: { files: 900, bytes: 30_000_000 },
        }),
        workingJob(4, 'shop', SENDING),
        workingJob(5, 'blog', { phase: 'retrying', attempt: 2, at: NOW + 12_000, reason: UNREACHABLE.message }),
        workingJob(6, 'docs', { phase: 'comparing', total: { files: 12, bytes: 9 } }),
        workingJob(7, 'slides', { phase: 'finishing' }),
        workingJob(8, 'status', { phase: 'linking' }),
      ],
    }),
    shows: [
      'Queued',
      'Scanning folder…',
      '1,204 of 10,000 files · 900 unchanged',
      '3.4 of 12 MB · 2.1 MB/s · 5 s left',
      'Trying again in 12 s…',
      'berth.example cannot be reached',
      'Checking what’s already uploaded…',
      'Finishing up…',
      'Updating the address…',
    ],
  },
  {
    name: 'publish-elsewhere',
    page: 'settings',
    state: appState({
      publishings: [
        workingJob(1, 'dist', { phase: 'finishing' }),
        publishing(2, { is: 'queued' }, { name: 'handbook' }),
      ],
      folders: [folder(1, 'shop', { is: 'publishing', progress: { phase: 'listing' } })],
    }),
    shows: ['Folders', 'Settings'],
  },
  {
    name: 'publish-elsewhere-problems',
    page: 'settings',
    state: appState({
      publishings: [askingJob(1, 'dist', 'no-front-page'), workingJob(2, 'dist', { phase: 'finishing' })],
      folders: [
        folder(1, 'shop', { is: 'failed', problem: TOO_LARGE }),
        folder(2, 'blog', { is: 'failed', problem: TOO_LARGE }),
      ],
    }),
    shows: ['Folders', '1', '2'],
  },
  {
    name: 'publish-asking',
    page: 'publish',
    state: appState({
      publishings: [
        askingJob(1, 'harbour-site', 'project', [
          { grant: grantOf(1), name: 'dist' },
          { grant: grantOf(2), name: 'storybook-static' },
        ]),
        askingJob(2, 'Documents', 'personal'),
        askingJob(3, 'assets', 'no-front-page'),
        askingJob(4, 'menu.pdf', 'pasted'),
      ],
    }),
    shows: [
      'This folder looks like a project’s source',
      'Publish dist',
      'Publish anyway',
      'Publish this?',
      'All its files would be public',
      'This folder has no index.html',
      'You pasted this item.',
    ],
  },
  {
    name: 'publish-project',
    page: 'publish',
    state: appState({
      publishings: [
        publishing(
          1,
          {
            is: 'asking',
            question: {
              about: 'project',
              suggestions: [{ grant: 'b'.repeat(32), name: 'dist' }],
              build: { framework: 'Astro', folder: 'dist', command: 'npm run build', advice: null },
            },
          },
          { name: 'harbour-website' },
        ),
        publishing(
          2,
          { is: 'asking', question: { about: 'update', suggestions: [], site: 'festival.sites.example' } },
          { name: 'festival-2026' },
        ),
      ],
    }),
    shows: [
      'This is an Astro project',
      'Build and publish',
      'Publish dist',
      'Update festival.sites.example',
      'New link',
    ],
    kept: true,
  },
  {
    name: 'publish-building',
    page: 'publish',
    state: appState({
      publishings: [
        publishing(1, { is: 'building' }, { name: 'harbour-website', build: BUILD_OUTPUT }),
        publishing(2, { is: 'failed', problem: FAILED_BUILD }, { name: 'tickets', build: FAILED_OUTPUT }),
      ],
    }),
    shows: ['Building', 'vite v8.3.8 building', 'exit code 1', 'Could not resolve'],
    kept: true,
  },
  {
    name: 'publish-failed',
    page: 'publish',
    state: appState({
      publishings: [
        publishing(1, { is: 'failed', problem: TOO_LARGE }),
        publishing(2, { is: 'failed', problem: STOPPING }, { name: 'handbook' }),
        publishing(3, { is: 'cancelled' }, { name: 'photos' }),
      ],
    }),
    shows: [
      'media/opening-night.mp4 is too large. The limit is 20 MB for each file.',
      'exclude it in a .berthignore file',
      'Try again in 5 s.',
      'Try again',
      'Not published',
      'Nothing was published.',
    ],
    kept: true,
  },
  {
    name: 'publish-long',
    page: 'publish',
    state: appState({
      publishings: Array.from({ length: 12 }, (_, number) =>
        publishing(number + 1, published(number + 1), {
          name: `build-${12 - number}`,
          begun: NOW - number * 17 * MINUTE,
        }),
      ),
    }),
    shows: ['build-12', deploymentId(1)],
  },
];
