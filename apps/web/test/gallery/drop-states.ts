import type { Published, Publishing, PublishingState } from '@berth/ui/publishing';
import { NOW, NOW_SECONDS } from '@berth/ui/testing/samples';
import type { GalleryState } from './gallery.ts';

const MB = 1_000_000;
const ALL = { files: 1_204, bytes: 86 * MB };

const drop = (state: PublishingState, other: Partial<Publishing> = {}): Partial<Publishing> => ({ state, ...other });

const published = (other: Partial<Published> = {}): PublishingState => ({
  is: 'published',
  published: {
    deployment: 'calm-otter-4k9x2qd',
    url: 'https://calm-otter-4k9x2qd.sites.example',
    ...ALL,
    at: NOW,
    expires: null,
    claim: null,
    password: false,
    copied: true,
    notices: [],
    ...other,
  },
});

const anonymous = {
  expires: NOW_SECONDS + 2 * 86_400 + 23 * 3_600,
  claim: 'https://berth.example/claim/0f9a31c4d77e42b59c1de0a8b5f3c6e2',
};

const working = (progress: Extract<PublishingState, { is: 'working' }>['progress']): PublishingState => ({
  is: 'working',
  progress,
});

const failed = (message: string, next: string | null, file: string | null = null): PublishingState => ({
  is: 'failed',
  problem: { kind: 'refused', message, next, file },
});

/** The states of the drop page. */
export const DROP_STATES: readonly GalleryState[] = [
  {
    name: 'drop-idle',
    kept: true,
    path: '/',
    signedIn: null,
    shows: ['Drop a folder, get a link', 'Choose folder', 'a link lasts 3 days'],
  },
  {
    name: 'drop-idle-signed-in',
    path: '/',
    shows: ['The link is copied', 'Domain, password, labels'],
  },
  {
    name: 'drop-options',
    path: '/',
    async act(page) {
      await page.getByRole('button', { name: 'Domain, password, labels' }).click();
      await page.getByLabel('Domain', { exact: true }).fill('docs');
    },
    shows: ['published at this address'],
  },
  {
    name: 'drop-dragging',
    path: '/',
    signedIn: null,
    async act(page) {
      const session = await page.context().newCDPSession(page);
      const data = { items: [], files: [import.meta.dirname], dragOperationsMask: 1 };
      await session.send('Input.dispatchDragEvent', { type: 'dragEnter', x: 200, y: 200, data });
    },
    shows: ['Drop to publish'],
  },
  {
    name: 'drop-asking-project',
    path: '/',
    signedIn: null,
    drops: [drop({ is: 'asking', question: { about: 'project', suggestions: [{ grant: 'dist', name: 'dist' }] } })],
    shows: ['Is this the right folder?', 'Publish dist', 'Publish anyway'],
  },
  {
    name: 'drop-asking-no-front-page',
    path: '/',
    signedIn: null,
    drops: [drop({ is: 'asking', question: { about: 'no-front-page', suggestions: [] } })],
    shows: ['has no index.html'],
  },
  {
    name: 'drop-asking-personal',
    path: '/',
    signedIn: null,
    drops: [drop({ is: 'asking', question: { about: 'personal', suggestions: [] } }, { name: 'Downloads' })],
    shows: ['looks like a personal folder'],
  },
  {
    name: 'drop-asking-pasted',
    path: '/',
    signedIn: null,
    drops: [
      drop({ is: 'asking', question: { about: 'pasted', suggestions: [] } }, { name: 'notes.html', kind: 'files' }),
    ],
    shows: ['You pasted this item'],
  },
  {
    name: 'drop-comparing',
    path: '/',
    signedIn: null,
    drops: [drop(working({ phase: 'comparing', total: ALL }))],
    shows: ['Checking what’s already uploaded'],
  },
  {
    name: 'drop-reading',
    path: '/',
    signedIn: null,
    drops: [
      drop(
        working({ phase: 'reading', done: { files: 481, bytes: 31 * MB }, total: ALL, cached: { files: 0, bytes: 0 } }),
      ),
      drop({ is: 'queued' }, { name: 'second-site' }),
    ],
    shows: ['481 of 1,204 files', 'Starts when the uploads before it finish'],
  },
  {
    name: 'drop-sending',
    kept: true,
    path: '/',
    signedIn: null,
    drops: [
      drop(working({ phase: 'sending', done: { files: 320, bytes: 41 * MB }, total: ALL, bytesPerSecond: 5.2 * MB }), {
        leftOut: [
          { reason: 'private', count: 2, paths: ['.env', '.env.local'] },
          { reason: 'ignored', count: 14, paths: ['drafts/'] },
        ],
      }),
    ],
    shows: ['41 of 86 MB', '5.2 MB/s', '9 s left', 'Cancel'],
  },
  {
    name: 'drop-finishing',
    path: '/',
    signedIn: null,
    drops: [drop(working({ phase: 'finishing' }))],
    shows: ['Finishing up'],
  },
  {
    name: 'drop-retrying',
    path: '/',
    signedIn: null,
    drops: [
      drop(working({ phase: 'retrying', attempt: 3, at: NOW + 12_000, reason: 'berth.example cannot be reached.' })),
    ],
    shows: ['Trying again in 12 s'],
  },
  {
    name: 'drop-paused',
    path: '/',
    signedIn: null,
    drops: [drop({ is: 'paused', why: 'asked', sent: { done: { files: 320, bytes: 41 * MB }, total: ALL } })],
    shows: ['Nothing is sent until you continue', 'Continue'],
  },
  {
    name: 'drop-cancelled',
    path: '/',
    signedIn: null,
    drops: [drop({ is: 'cancelled' })],
    shows: ['Cancelled', 'Nothing was published.'],
  },
  {
    name: 'drop-offline',
    path: '/',
    signedIn: null,
    drops: [drop({ is: 'paused', why: 'offline', sent: { done: { files: 320, bytes: 41 * MB }, total: ALL } })],
    shows: ['There is no connection'],
  },
  {
    name: 'drop-reloaded',
    path: '/',
    signedIn: null,
    drops: [
      drop({ is: 'paused', why: 'permission', sent: null }),
      drop({ is: 'paused', why: 'choose-again', sent: null }, { name: 'second-site' }),
    ],
    shows: ['The browser asks before it reads the folder again', 'Choose folder again'],
  },
  {
    name: 'drop-published',
    kept: true,
    path: '/',
    signedIn: null,
    drops: [drop(published(anonymous), { leftOut: [{ reason: 'private', count: 1, paths: ['.env'] }] })],
    shows: [
      'calm-otter-4k9x2qd.sites.example',
      'Link copied',
      'Expires in 2 days 23 hours',
      'Sign in to keep it',
      '1 private file skipped',
    ],
  },
  {
    name: 'drop-published-owned',
    path: '/',
    drops: [
      drop(
        published({
          url: 'https://www.harbour.example',
          password: true,
          notices: [{ file: '_redirects', line: 4, message: 'The status must be 301, 302, 303, 307, 308 or 200.' }],
        }),
      ),
      drop(published(anonymous), { name: 'from-before' }),
    ],
    shows: ['www.harbour.example', 'Password-protected', '_redirects:4', 'Keep this site'],
  },
  {
    name: 'drop-expired',
    path: '/',
    signedIn: null,
    drops: [drop(published({ ...anonymous, expires: NOW_SECONDS - 60 }))],
    shows: ['This link has expired'],
  },
  {
    name: 'drop-qr',
    path: '/',
    signedIn: null,
    drops: [drop(published(anonymous))],
    act: (page) => page.getByRole('button', { name: 'Show QR code' }).click(),
    shows: ['Scan with a phone'],
  },
  {
    name: 'drop-refused',
    path: '/',
    signedIn: null,
    drops: [
      drop(
        failed(
          'setup.exe: programs and installers (.exe) are never published (and 2 more files).',
          'Fix these files, or leave them out: setup.exe, tools/run.bat, tools/old.msi.',
          'setup.exe',
        ),
      ),
    ],
    shows: ['Not published', 'tools/old.msi', 'Try again'],
  },
  {
    name: 'drop-too-large',
    path: '/',
    signedIn: null,
    drops: [
      drop(
        failed(
          'video.mp4 is too large. The limit is 21 MB for each file.',
          'Make video.mp4 smaller, or choose a larger plan.',
        ),
      ),
    ],
    shows: ['The limit is 21 MB'],
  },
  {
    name: 'drop-too-many',
    path: '/',
    signedIn: null,
    drops: [drop(failed('Too many deploys: at most 10 an hour without an account.', 'Try again in 12 min.'))],
    shows: ['Try again in 12 min'],
  },
  {
    name: 'drop-no-anonymous-deploys',
    path: '/',
    signedIn: null,
    drops: [drop(failed('This server publishes only for people who are signed in.', 'Sign in, and publish it again.'))],
    shows: ['only for people who are signed in'],
  },
];
