import { MINUTE, NOW } from '@berth/ui/testing/samples';
import { DEFAULT_SETTINGS } from '../../../src/shared/settings.ts';
import {
  appState,
  askingJob,
  folder,
  problem,
  published,
  publishing,
  SENDING,
  session,
  SIGNED_IN,
  SIGNED_OUT,
  TOO_LARGE,
  UNREACHABLE,
  workingJob,
} from './sample.ts';
import { drag, type GalleryState } from './window.ts';

const LINKS = [
  publishing(1, published(1, { copied: true }), { name: 'harbour-website' }),
  publishing(2, published(2, { at: NOW - 44 * MINUTE }), { name: 'menu.pdf', kind: 'files' }),
];
const FOLDERS = [folder(3, 'handbook', { is: 'live' }), folder(4, 'festival-2026', { is: 'live' })];

/** The states of the window at the tray icon. */
export const DROP_WINDOW_STATES: readonly GalleryState[] = [
  {
    name: 'drop-window',
    page: 'drop-window',
    state: appState({
      publishings: [workingJob(9, 'photos-of-the-opening-night', SENDING), ...LINKS],
      folders: FOLDERS,
    }),
    shows: [
      'harbour-website',
      'Drop a folder, get a link',
      'Uploading · 3.4 of 12 MB',
      'handbook.sites.example',
      'berth.example',
      'Open Berth',
    ],
    kept: true,
  },
  {
    name: 'drop-window-empty',
    page: 'drop-window',
    state: appState({ session: SIGNED_OUT }),
    shows: ['No links yet', 'The links of what you publish appear here, ready to copy.', 'Choose folder…'],
  },
  {
    name: 'drop-window-over',
    page: 'drop-window',
    state: appState({ publishings: LINKS }),
    act: (page) => drag(page, 'dragEnter', 180),
    shows: ['Drop to publish'],
  },
  {
    name: 'drop-window-problems',
    page: 'drop-window',
    state: appState({
      publishings: [
        workingJob(1, 'photos', { phase: 'retrying', attempt: 2, at: NOW + 12_000, reason: UNREACHABLE.message }),
        publishing(2, { is: 'queued' }, { name: 'handbook' }),
        askingJob(3, 'harbour-site', 'project'),
        publishing(4, { is: 'failed', problem: TOO_LARGE }, { name: 'shop' }),
        ...LINKS,
      ],
      folders: FOLDERS,
      session: session(SIGNED_IN, { online: false }),
    }),
    answers: { openLink: { problem: problem('refused', 'The browser could not be opened. Copy the link instead.') } },
    act: async (page) => {
      await page.getByRole('button', { name: 'Open harbour-website in browser' }).click();
      await page.getByText('The browser could not be opened.').waitFor();
    },
    shows: [
      'Needs an answer',
      'media/opening-night.mp4 is too large.',
      'and 1 more',
      'Offline · resumes automatically',
      'The browser could not be opened.',
    ],
  },
  {
    name: 'drop-window-setup',
    page: 'drop-window',
    state: appState({ settings: DEFAULT_SETTINGS, session: SIGNED_OUT }),
    shows: ['Set up Berth first', 'Open Berth'],
  },
  {
    name: 'drop-window-not-started',
    page: 'drop-window',
    state: null,
    shows: ['Berth could not start'],
  },
];
