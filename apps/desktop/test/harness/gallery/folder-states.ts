import { deploymentId, MINUTE, NOW, NOW_SECONDS, siteUrl } from '@berth/ui/testing/samples';
import {
  appState,
  BUILD_OUTPUT,
  folder,
  grantOf,
  id,
  problem,
  published,
  publishing,
  SENDING,
  SIGNED_OUT,
  TOO_LARGE,
  UNREACHABLE,
} from './sample.ts';
import { chooseFromMenu, dropFolder, type GalleryState } from './window.ts';

const HARBOUR_FOLDER = folder(1, 'harbour-notes', { is: 'live' });

const VERSIONS = [1, 2, 3, 4, 5].map((number) => ({
  deployment: deploymentId(number),
  url: siteUrl(deploymentId(number)),
  created: NOW_SECONDS - number * number * 1_900,
  files: 120 + number,
  bytes: 3_300_000 + number * 41_000,
  live: number === 1,
}));

const AVAILABLE_NAME = { valid: true, normalized: 'quiet-harbour.sites.example', available: true, reason: null };
const pickedItem = (name: string, kind = 'folder') => ({ value: { grant: grantOf(0), name, kind } });

export const FOLDER_STATES: readonly GalleryState[] = [
  {
    name: 'folders-empty',
    page: 'folders',
    shows: ['Watch a folder to publish every build', 'Watch a folder…'],
  },
  {
    name: 'folders-signed-out',
    page: 'folders',
    state: appState({ session: SIGNED_OUT }),
    shows: ['Watching needs an account', 'Sign in'],
  },
  {
    name: 'folders-states',
    page: 'folders',
    state: appState({
      folders: [
        { ...HARBOUR_FOLDER, labels: ['notes', 'public'] },
        folder(2, 'shop', { is: 'publishing', progress: SENDING }),
        folder(3, 'harbour-website', { is: 'building' }, { build: BUILD_OUTPUT }),
        folder(7, 'handbook', { is: 'settling' }),
        folder(4, 'blog', { is: 'paused', why: 'asked' }),
        folder(5, 'status', { is: 'paused', why: 'earlier-version' }),
        folder(6, 'fresh', { is: 'starting' }, { url: null, live: null }),
      ],
    }),
    shows: [
      'Up to date · published 2 min ago',
      '128 files · 3.4 MB',
      'Uploading 3.4 of 12 MB',
      'Building',
      'rendering chunks',
      'Changes detected',
      'Paused',
      'Showing an earlier version',
      'fresh (not published yet)',
    ],
    kept: true,
  },
  {
    name: 'folders-problems',
    page: 'folders',
    state: appState({
      folders: [
        folder(1, 'shop', { is: 'failed', problem: TOO_LARGE }),
        folder(2, 'blog', { is: 'missing', reason: 'gone' }),
        folder(3, 'handbook', { is: 'waiting', problem: UNREACHABLE, until: NOW + 12_000 }),
        folder(4, 'docs', { is: 'missing', reason: 'no-front-page' }),
        folder(5, 'notes', { is: 'missing', reason: 'empty' }),
        folder(6, 'status', { is: 'signed-out' }),
        folder(
          7,
          'www-harbour',
          { is: 'live' },
          {
            domain: 'www.harbour.example',
            needsDns: true,
            polling: { everyMs: 2_000, reason: 'the system cannot watch more files.' },
          },
        ),
      ],
      session: { ...appState().session, online: false },
    }),
    shows: [
      'Failed',
      'media/opening-night.mp4',
      'Folder not found',
      'Locate…',
      'Waiting for the network · trying again in 12 s',
      'Folder has no index.html',
      'Folder is empty',
      'Signed out',
      'is missing DNS records',
      'Checked every 2 s',
      'Offline',
    ],
  },
  {
    name: 'folders-watch',
    page: 'folders',
    state: appState({ folders: [HARBOUR_FOLDER] }),
    answers: {
      pickFolder: pickedItem('dist'),
      suggestName: { value: { name: 'quiet-harbour', validation: AVAILABLE_NAME } },
    },
    act: async (page) => {
      await page.getByRole('button', { name: 'Watch a folder…' }).click();
      await page.getByText('quiet-harbour.sites.example is available.').waitFor();
    },
    shows: ['Watch dist', 'quiet-harbour.sites.example is available.', 'Watch and publish'],
  },
  {
    name: 'folders-watch-asking',
    page: 'folders',
    state: appState({ folders: [HARBOUR_FOLDER] }),
    answers: {
      pickFolder: pickedItem('harbour-site'),
      checkFolder: {
        value: {
          question: {
            about: 'project',
            suggestions: [
              { grant: grantOf(1), name: 'dist' },
              { grant: grantOf(2), name: 'storybook-static' },
            ],
            build: null,
            anyway: grantOf(3),
          },
        },
      },
      suggestName: { value: { name: 'harbour-site', validation: null } },
    },
    act: async (page) => {
      await page.getByRole('button', { name: 'Watch a folder…' }).click();
      await page.getByText('Did you mean one of these folders?').waitFor();
    },
    shows: ['Watch harbour-site', 'This folder looks like a project’s source', 'storybook-static', 'Watch anyway'],
  },
  {
    name: 'folders-watch-project',
    page: 'folders',
    state: appState({ folders: [HARBOUR_FOLDER] }),
    answers: {
      pickFolder: pickedItem('harbour-website'),
      checkFolder: {
        value: {
          question: {
            about: 'project',
            suggestions: [{ grant: grantOf(1), name: 'dist' }],
            build: { framework: 'Astro', folder: 'dist', command: 'npm run build', advice: null },
            anyway: grantOf(3),
          },
        },
      },
      suggestName: { value: { name: 'harbour-website', validation: null } },
    },
    act: async (page) => {
      await page.getByRole('button', { name: 'Watch a folder…' }).click();
      await page.getByText('This is an Astro project.').waitFor();
    },
    shows: ['Watch harbour-website', 'npm run build', 'Build after each change', 'dist', 'Watch anyway', 'Cancel'],
  },
  {
    name: 'folders-watch-personal',
    page: 'folders',
    state: appState({ folders: [HARBOUR_FOLDER] }),
    answers: {
      pickFolder: pickedItem('Documents'),
      checkFolder: { value: { question: { about: 'personal', suggestions: [], build: null, anyway: grantOf(3) } } },
    },
    act: async (page) => page.getByRole('button', { name: 'Watch a folder…' }).click(),
    shows: ['This looks like a personal folder. All its files would be public.', 'Watch anyway', 'Cancel'],
  },
  {
    name: 'folders-watch-silent',
    page: 'folders',
    state: appState({ folders: [HARBOUR_FOLDER] }),
    answers: {
      pickFolder: pickedItem('dist', 'unknown'),
      checkFolder: {
        problem: problem(
          'folder',
          'The drive with “dist” does not answer. Check that it is connected, then try again.',
        ),
      },
    },
    act: async (page) => page.getByRole('button', { name: 'Watch a folder…' }).click(),
    shows: ['The drive with “dist” does not answer.', 'Try again'],
  },
  {
    name: 'folders-watch-open',
    page: 'publish',
    state: appState({ publishings: [publishing(1, published(1, { password: true }))] }),
    answers: {
      suggestName: { value: { name: 'quiet-harbour', validation: AVAILABLE_NAME } },
    },
    act: async (page) => {
      await page.getByRole('button', { name: 'Watch this folder…' }).click();
      await page.getByText('quiet-harbour.sites.example is available.').waitFor();
      await page.getByRole('button', { name: 'Watch and publish' }).click();
    },
    shows: ['The published site has a password.', 'Watch without a password?', 'Everyone with the link'],
  },
  {
    name: 'folders-watch-many',
    page: 'folders',
    state: appState({ folders: [HARBOUR_FOLDER] }),
    answers: {
      grant: {
        value: ['programme', 'tickets', 'press'].map((name, number) => ({
          grant: grantOf(number + 1),
          name,
          kind: 'folder',
        })),
      },
      suggestName: { value: { name: 'harbour-programme', validation: null } },
    },
    act: async (page) => {
      await dropFolder(page, 600);
      await page.getByRole('dialog').getByRole('textbox', { name: 'press' }).waitFor();
    },
    shows: ['Watch 3 folders', 'programme', 'press', 'Watch and publish 3 folders'],
  },
  {
    name: 'folders-roll-back',
    page: 'folders',
    state: appState({ folders: [HARBOUR_FOLDER] }),
    act: (page) => chooseFromMenu(page, 'harbour-notes', 'Roll back…'),
    shows: ['Roll back harbour-notes to its previous version?', 'Watching is paused'],
  },
  {
    name: 'folders-make-live',
    page: 'folders',
    state: appState({ folders: [HARBOUR_FOLDER] }),
    answers: { listVersions: { value: { versions: VERSIONS } } },
    act: async (page) => {
      await chooseFromMenu(page, 'harbour-notes', 'History…');
      await page.getByRole('button', { name: `Make ${deploymentId(3)} live…` }).click();
    },
    shows: ['Make the version of', 'An earlier version pauses the folder'],
  },
  {
    name: 'folders-history',
    page: 'folders',
    state: appState({ folders: [HARBOUR_FOLDER] }),
    answers: { listVersions: { value: { versions: VERSIONS } } },
    act: async (page) => {
      await chooseFromMenu(page, 'harbour-notes', 'History…');
      await page.getByRole('list', { name: 'Versions' }).waitFor();
    },
    shows: ['History of harbour-notes', 'Live', 'Make live'],
  },
  {
    name: 'folders-password',
    page: 'folders',
    state: appState({ folders: [{ ...HARBOUR_FOLDER, password: true }] }),
    act: async (page) => {
      await chooseFromMenu(page, 'harbour-notes', 'Password…');
      await page.getByRole('button', { name: 'Remove' }).click();
    },
    shows: ['Password of harbour-notes', 'Password-protected', 'everyone with the link can see it'],
  },
  {
    name: 'folders-remove',
    page: 'folders',
    state: appState({ folders: [HARBOUR_FOLDER] }),
    act: (page) => chooseFromMenu(page, 'harbour-notes', 'Stop watching…'),
    shows: ['Stop watching harbour-notes? Its site stays online.'],
  },
  {
    name: 'folders-long',
    page: 'folders',
    state: appState({
      folders: Array.from({ length: 12 }, (_, number) => ({
        ...folder(number, `project-${number + 1}`, { is: 'live' }),
        id: id(500 + number),
        live: { ...HARBOUR_FOLDER.live!, at: NOW - number * 90 * MINUTE },
      })),
    }),
    shows: ['project-1', 'project-5'],
  },
];
