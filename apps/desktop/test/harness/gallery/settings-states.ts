import { NOW } from '@berth/ui/testing/samples';
import { appState, problem, published, publishing, server, SERVER, session, SIGNED_OUT } from './sample.ts';
import { drag, type GalleryState } from './window.ts';

export const SETTINGS_STATES: readonly GalleryState[] = [
  {
    name: 'settings',
    page: 'settings',
    state: appState({
      session: {
        servers: [server(), server({ is: 'signed-out' }, 'http://localhost:4000')],
        current: SERVER,
        keysKept: 'system',
        online: true,
      },
      update: { is: 'ready', version: '0.2.0' },
    }),
    shows: [
      'mara@harbour.example',
      'Plan: pro',
      'localhost:4000',
      'In use',
      'Copy links automatically',
      'Start at login',
      'Berth 0.1.0',
    ],
  },
  {
    name: 'settings-signed-out',
    page: 'settings',
    state: appState({
      session: { ...SIGNED_OUT, keysKept: 'memory' },
      about: { version: '0.1.0', platform: 'linux', tray: false, canOpenAtLogin: false },
    }),
    answers: {
      signIn: {
        problem: problem(
          'refused',
          'berth.example does not know this key. The key was revoked or belongs to another server.',
        ),
      },
    },
    act: async (page) => {
      await page.getByLabel('API key').fill('ship-00000000000000000000000000000000');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('berth.example does not know this key.').waitFor();
    },
    shows: [
      'in memory until Berth quits',
      'berth.example does not know this key. The key was revoked or belongs to another server.',
      'This system cannot start Berth at login.',
      'This system has no tray',
    ],
  },
  {
    name: 'settings-refused',
    page: 'settings',
    state: appState({ session: session({ is: 'refused', email: 'mara@harbour.example' }) }),
    shows: ['Your key no longer works', 'The key belonged to mara@harbour.example', 'Key no longer works'],
  },
  {
    name: 'drop-over',
    page: 'publish',
    state: appState({ publishings: [publishing(1, published(1))] }),
    act: (page) => drag(page, 'dragEnter', 400),
    shows: ['Publish once', 'Publish and watch'],
  },
  {
    name: 'drop-over-signed-out',
    page: 'publish',
    state: appState({ session: SIGNED_OUT }),
    act: (page) => drag(page, 'dragEnter', 400),
    shows: ['Drop to publish'],
  },
  {
    name: 'toasts',
    page: 'publish',
    state: appState({
      publishings: [publishing(1, published(1, { at: NOW }))],
      session: { ...appState().session, online: false },
      update: { is: 'downloading', version: '0.2.0', percent: 42 },
    }),
    answers: { openLink: { problem: problem('refused', 'The browser could not be opened. Copy the link instead.') } },
    act: async (page) => {
      const unknownLink = { problem: problem('refused', "That Berth link isn't valid.") };
      await page.evaluate((data) => window.fake.emit('problem', data), unknownLink);
      await page.getByRole('button', { name: 'Open', exact: true }).click();
      await page.getByText('The browser could not be opened.').waitFor();
    },
    shows: [
      "That Berth link isn't valid.",
      'The browser could not be opened. Copy the link instead.',
      'Updating… 42%',
      'Offline',
    ],
  },
  {
    name: 'not-started',
    page: 'publish',
    state: null,
    shows: ['Berth could not start', 'Something went wrong in the app.'],
  },
];
