import { DEFAULT_SETTINGS } from '../../../src/shared/settings.ts';
import { appState, publishing, published, SERVER, SIGNED_OUT, UNREACHABLE } from './sample.ts';
import { NOW, NOW_SECONDS } from '@berth/ui/testing/samples';
import type { GalleryState } from './window.ts';

const FIRST_RUN = appState({ settings: DEFAULT_SETTINGS, session: SIGNED_OUT });
const WITH_SERVER = { ...FIRST_RUN, presetServer: SERVER };
const PROMPT = { code: 'BKRT-WXZM', page: `${SERVER}/device` };

/** The states of the first run, until the first link. */
export const WELCOME_STATES: readonly GalleryState[] = [
  {
    name: 'welcome-server',
    page: 'publish',
    state: FIRST_RUN,
    answers: { checkServer: { value: { origin: SERVER } } },
    act: async (page) => {
      await page.getByLabel('Server address').fill('berth.example');
      await page.getByText('berth.example is reachable.').waitFor();
    },
    shows: ['Where is your Berth?', 'berth.example is reachable.', 'Continue'],
    kept: true,
  },
  {
    name: 'welcome-unreachable',
    page: 'publish',
    state: FIRST_RUN,
    answers: { checkServer: { problem: UNREACHABLE } },
    act: async (page) => page.getByLabel('Server address').fill('berth.example'),
    shows: ['berth.example cannot be reached', 'Try again'],
  },
  {
    name: 'welcome-sign-in',
    page: 'publish',
    state: WITH_SERVER,
    shows: ['Sign in to berth.example', 'Sign in with the browser', 'Continue without an account', 'lasts 3 days'],
  },
  {
    name: 'welcome-code',
    page: 'publish',
    state: WITH_SERVER,
    answers: { beginSignIn: { value: PROMPT }, awaitSignIn: { never: true } },
    act: (page) => page.getByRole('button', { name: 'Sign in with the browser' }).click(),
    shows: ['BKRT-WXZM', 'Waiting for your approval', 'berth.example/device'],
    kept: true,
  },
  {
    name: 'welcome-key',
    page: 'publish',
    state: WITH_SERVER,
    act: (page) => page.getByRole('button', { name: 'Use an API key' }).click(),
    shows: ['API key', 'Use the browser'],
  },
  {
    name: 'welcome-first-link',
    page: 'publish',
    state: appState({
      session: SIGNED_OUT,
      publishings: [
        publishing(
          1,
          published(1, {
            files: 3,
            bytes: 1_204,
            copied: true,
            at: NOW,
            expires: NOW_SECONDS + 259_000,
            claim: `${SERVER}/claim/x`,
          }),
          { name: 'sample-site' },
        ),
      ],
    }),
    shows: ['sample-site', 'Link copied', 'Expires in 2 days 23 hours', 'Sign in to keep it'],
  },
];
