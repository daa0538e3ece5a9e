import { appState, NOW, problem, published, publishing, server, SERVER, session, SIGNED_OUT } from './sample.ts';
import type { GalleryState } from './state.ts';

export const SETTINGS_STATES: readonly GalleryState[] = [
  {
    name: 'settings',
    about: 'Account, servers, and preferences of the app',
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
    kept: true,
  },
  {
    name: 'settings-signed-out',
    about: 'Signing in on a system that cannot protect keys',
    page: 'settings',
    state: appState({
      session: { ...SIGNED_OUT, keysKept: 'memory' },
      about: { version: '0.1.0', platform: 'linux', tray: false, canOpenAtLogin: false },
    }),
    answers: {
      signIn: {
        problem: problem('signed-out', 'The server does not know this key.', {
          next: 'Copy it from the server again.',
        }),
      },
    },
    act: async (page) => {
      await page.getByLabel('API key').fill('ship-00000000000000000000000000000000');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('The server does not know this key.').waitFor();
    },
    shows: [
      'in memory until Berth quits',
      'The server does not know this key.',
      'Copy it from the server again.',
      'This system cannot start Berth at login.',
      'This system has no tray',
    ],
    kept: true,
  },
  {
    name: 'settings-refused',
    about: 'A key that is no longer valid',
    page: 'settings',
    state: appState({ session: session({ is: 'refused', email: 'mara@harbour.example' }) }),
    shows: ['Your key no longer works', 'It belonged to mara@harbour.example', 'Key no longer works'],
  },
  {
    name: 'drop-over',
    about: 'A drag over the window of a user who is signed in',
    page: 'publish',
    state: appState({ publishings: [publishing(1, published(1))] }),
    act: async (page) => dragOver(page, 400),
    shows: ['Publish once', 'Publish and watch'],
    kept: true,
  },
  {
    name: 'drop-over-signed-out',
    about: 'The same without an account',
    page: 'publish',
    state: appState({ session: SIGNED_OUT }),
    act: async (page) => dragOver(page, 400),
    shows: ['Drop to publish'],
  },
  {
    name: 'toasts',
    about: 'Messages outside the pages: offline, with an update downloading',
    page: 'publish',
    state: appState({
      publishings: [publishing(1, published(1, { at: NOW }))],
      session: { ...appState().session, online: false },
      update: { is: 'downloading', version: '0.2.0', percent: 42 },
    }),
    answers: { openLink: { problem: problem('unexpected', 'The browser could not be started.') } },
    act: async (page) => {
      await page.evaluate(() =>
        window.fake.emit('problem', {
          problem: {
            kind: 'refused',
            message: 'The link that was opened could not be understood.',
            next: 'Copy it again from where it came from.',
            file: null,
          },
        }),
      );
      await page.getByRole('button', { name: 'Open', exact: true }).click();
      await page.getByText('The browser could not be started.').waitFor();
    },
    shows: [
      'The link that was opened could not be understood.',
      'The browser could not be started.',
      'Updating… 42%',
      'Offline',
    ],
    kept: true,
  },
  {
    name: 'not-started',
    about: 'The app state could not be read',
    page: 'publish',
    state: null,
    shows: ['Berth could not start', 'The settings cannot be read.'],
  },
];

async function dragOver(page: Parameters<NonNullable<GalleryState['act']>>[0], x: number): Promise<void> {
  await page.evaluate((clientX) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([''], 'dist'));
    window.dispatchEvent(new DragEvent('dragenter', { dataTransfer, clientX, cancelable: true, bubbles: true }));
  }, x);
}
