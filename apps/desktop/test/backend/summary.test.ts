import { expect, test } from 'vitest';
import { summarize, type SummaryInput } from '../../src/main/summary.ts';
import type { FolderState } from '../../src/shared/folder.ts';
import type { Published, PublishingState } from '../../src/shared/publishing.ts';
import { NOW, PUBLISHED } from './samples.ts';

const HOUR = 3_600_000;
const problem = { kind: 'refused', message: 'No.', next: null, file: null } as const;
const progress = { phase: 'listing' } as const;

const failedState: PublishingState = { is: 'failed', problem };
const workingState: PublishingState = { is: 'working', progress };
const queuedState: PublishingState = { is: 'queued' };
const askingState: PublishingState = { is: 'asking', question: { about: 'personal', suggestions: [] } };
const published = (more: Partial<Published> = {}): PublishingState => ({
  is: 'published',
  published: { ...PUBLISHED, ...more },
});

const liveState: FolderState = { is: 'live' };
const paused: FolderState = { is: 'paused', why: 'asked' };
const failedFolder: FolderState = { is: 'failed', problem };
const unreadableState: FolderState = { is: 'waiting', until: NOW, problem: { ...problem, kind: 'folder' } };
const waitingState: FolderState = { is: 'waiting', until: NOW, problem: { ...problem, kind: 'unavailable' } };
const signedOut: FolderState = { is: 'signed-out' };
const missing: FolderState = { is: 'missing', reason: 'gone' };
const publishingState: FolderState = { is: 'publishing', progress };

interface SummaryRow {
  publishings?: PublishingState[];
  folders?: FolderState[];
  online?: boolean;
  /** How long ago each publish job failed, by id, in milliseconds. */
  failedAgo?: number;
}

function inputWith({ publishings = [], folders = [], online = true, failedAgo = 0 }: SummaryRow): SummaryInput {
  return {
    publishings: publishings.map((state, i) => ({ id: `p${i}`, name: `p${i}`, state })),
    failedAt: new Map(publishings.map((_, i) => [`p${i}`, NOW - failedAgo])),
    folders: folders.map((state, i) => ({ id: `f${i}`, name: `f${i}`, state, url: null, live: null })),
    online,
    nowMs: NOW,
  };
}

const TABLE: [string, SummaryRow, string, string][] = [
  ['an empty app', {}, 'idle', 'Drop a folder to get a link.'],
  ['a live site', { publishings: [published()], folders: [liveState] }, 'idle', 'Everything is up to date.'],
  ['a question (B6)', { publishings: [askingState] }, 'error', 'p0 needs an answer.'],
  [
    'a failure',
    { publishings: [failedState, workingState], folders: [liveState] },
    'error',
    'p0 could not be published.',
  ],
  ['a failure an hour ago', { publishings: [failedState], failedAgo: HOUR }, 'idle', 'Drop a folder to get a link.'],
  [
    'a failure under an hour ago',
    { publishings: [failedState], failedAgo: HOUR - 1 },
    'error',
    'p0 could not be published.',
  ],
  ['a folder that failed', { folders: [failedFolder, publishingState, paused] }, 'error', 'f0 could not be published.'],
  ['two failures', { publishings: [failedState], folders: [failedFolder] }, 'error', '2 sites could not be published.'],
  [
    'a running publishing',
    { publishings: [workingState], folders: [paused], online: false },
    'working',
    'p0 is being published.',
  ],
  ['a queued publishing', { publishings: [queuedState, workingState] }, 'working', '2 sites are being published.'],
  ['a folder that is being published', { folders: [publishingState, paused] }, 'working', 'f0 is being published.'],
  ['no network', { folders: [paused], online: false }, 'offline', 'Offline. Publishing resumes automatically.'],
  [
    'a folder with an invalid file',
    { folders: [unreadableState, publishingState] },
    'error',
    'f0 could not be published.',
  ],
  [
    'a server that is down',
    { folders: [liveState, waitingState, signedOut] },
    'offline',
    'f1 is waiting for the server.',
  ],
  ['a signed-out folder', { folders: [signedOut, missing, paused] }, 'paused', 'Sign in to publish f0.'],
  ['two signed-out folders', { folders: [signedOut, signedOut] }, 'paused', 'Sign in to publish 2 folders.'],
  ['a folder that is gone (B6)', { folders: [missing, paused] }, 'error', 'f0 has nothing to publish.'],
  ['one paused folder of two', { folders: [paused, liveState] }, 'idle', 'Everything is up to date.'],
  ['one folder, paused', { folders: [paused] }, 'paused', 'f0 is paused.'],
  ['all folders paused', { folders: [paused, paused] }, 'paused', '2 folders are paused.'],
];

test.each(TABLE)('with %s, the tray shows the status of the app (desktop §8.12, §8.13)', (_, input, status, text) => {
  expect(summarize(inputWith(input))).toMatchObject({ status, text });
});

test('the summary contains the newest 5 links that have not expired, without duplicates', () => {
  const publishedAgo = (ago: number, url = `https://${ago}.sites.example`) => published({ at: NOW - ago, url });
  const expiredSite = published({ at: NOW + 1, url: 'https://gone.sites.example', expires: NOW / 1_000 });
  const publishings = [
    expiredSite,
    publishedAgo(1),
    publishedAgo(2),
    publishedAgo(7, 'https://1.sites.example'),
    publishedAgo(3),
    publishedAgo(5),
    publishedAgo(6),
  ];
  const input = inputWith({ publishings });
  const folder = { id: 'f', name: 'blog', state: liveState, url: 'https://blog.sites.example' };
  const withFolder = {
    ...input,
    folders: [
      { ...folder, live: { deployment: 'd', files: 1, bytes: 1, at: NOW - 4 } },
      { ...folder, id: 'g', live: null, url: 'https://none.sites.example' },
    ],
  };
  const names = summarize(withFolder).links.map(({ url }) => new URL(url).hostname.split('.')[0]);
  expect(names).toEqual(['1', '2', '3', 'blog', '5']);
});
