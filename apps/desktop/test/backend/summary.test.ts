import { expect, test } from 'vitest';
import { summarize, type SummaryInput } from '../../src/main/summary.ts';
import type { FolderState } from '../../src/shared/folder.ts';
import type { Published, PublishingState } from '../../src/shared/publishing.ts';
import { NOW, PUBLISHED } from './samples.ts';

const HOUR = 3_600_000;
const problem = { kind: 'refused', message: 'No.', next: null, file: null } as const;
const progress = { phase: 'listing' } as const;

const failed: PublishingState = { is: 'failed', problem };
const working: PublishingState = { is: 'working', progress };
const queued: PublishingState = { is: 'queued' };
const asking: PublishingState = { is: 'asking', question: { about: 'personal', suggestions: [] } };
const published = (more: Partial<Published> = {}): PublishingState => ({
  is: 'published',
  published: { ...PUBLISHED, ...more },
});

const live: FolderState = { is: 'live' };
const paused: FolderState = { is: 'paused', why: 'asked' };
const failedFolder: FolderState = { is: 'failed', problem };
const unreadable: FolderState = { is: 'waiting', until: NOW, problem: { ...problem, kind: 'folder' } };
const waiting: FolderState = { is: 'waiting', until: NOW, problem: { ...problem, kind: 'unavailable' } };
const signedOut: FolderState = { is: 'signed-out' };
const missing: FolderState = { is: 'missing', reason: 'gone' };
const busy: FolderState = { is: 'publishing', progress };

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
  ['a live site', { publishings: [published()], folders: [live] }, 'idle', 'Everything is up to date.'],
  ['a question', { publishings: [asking] }, 'idle', 'Drop a folder to get a link.'],
  ['a failure', { publishings: [failed, working], folders: [live] }, 'error', 'p0 could not be published.'],
  ['a failure an hour ago', { publishings: [failed], failedAgo: HOUR }, 'idle', 'Drop a folder to get a link.'],
  [
    'a failure under an hour ago',
    { publishings: [failed], failedAgo: HOUR - 1 },
    'error',
    'p0 could not be published.',
  ],
  ['a folder that failed', { folders: [failedFolder, busy, paused] }, 'error', 'f0 could not be published.'],
  ['two failures', { publishings: [failed], folders: [failedFolder] }, 'error', '2 sites could not be published.'],
  [
    'a running publishing',
    { publishings: [working], folders: [paused], online: false },
    'working',
    'p0 is being published.',
  ],
  ['a queued publishing', { publishings: [queued, working] }, 'working', '2 sites are being published.'],
  ['a folder that is being published', { folders: [busy, paused] }, 'working', 'f0 is being published.'],
  ['no network', { folders: [paused], online: false }, 'offline', 'Offline. Publishing resumes automatically.'],
  ['a folder with an invalid file', { folders: [unreadable, busy] }, 'error', 'f0 could not be published.'],
  ['a server that is down', { folders: [live, waiting, signedOut] }, 'offline', 'f1 is waiting for the server.'],
  ['a signed-out folder', { folders: [signedOut, missing, paused] }, 'paused', 'Sign in to publish f0.'],
  ['two signed-out folders', { folders: [signedOut, signedOut] }, 'paused', 'Sign in to publish 2 folders.'],
  ['a folder that is gone', { folders: [missing, paused] }, 'idle', 'f0 has nothing to publish.'],
  ['one paused folder of two', { folders: [paused, live] }, 'idle', 'Everything is up to date.'],
  ['one folder, paused', { folders: [paused] }, 'paused', 'f0 is paused.'],
  ['all folders paused', { folders: [paused, paused] }, 'paused', '2 folders are paused.'],
];

test.each(TABLE)('with %s, the tray shows the status of the app (desktop §8.12, §8.13)', (_, input, status, text) => {
  expect(summarize(inputWith(input))).toMatchObject({ status, text });
});

test('the summary contains the newest 5 links that have not expired, without duplicates', () => {
  const at = (ago: number, url = `https://${ago}.sites.example`) => published({ at: NOW - ago, url });
  const expired = published({ at: NOW + 1, url: 'https://gone.sites.example', expires: NOW / 1_000 });
  const publishings = [expired, at(1), at(2), at(7, 'https://1.sites.example'), at(3), at(5), at(6)];
  const input = inputWith({ publishings });
  const folder = { id: 'f', name: 'blog', state: live, url: 'https://blog.sites.example' };
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
