import { describe, expect, it } from 'vitest';
import { foldersBadge, publishBadge } from '../../src/renderer/shell/nav-badge.ts';
import type { FolderState } from '../../src/shared/folder.ts';
import type { PublishingState } from '../../src/shared/publishing.ts';
import { folder, problem, published, publishing, TOO_LARGE } from '../harness/gallery/sample.ts';

const FAILED: PublishingState & FolderState = { is: 'failed', problem: TOO_LARGE };
const ASKING: PublishingState = { is: 'asking', question: { about: 'project', suggestions: [] } };
const WORKING: PublishingState = { is: 'working', progress: { phase: 'listing' } };
const QUEUED: PublishingState = { is: 'queued' };
const PUBLISHING: FolderState = { is: 'publishing', progress: { phase: 'listing' } };
const GONE_FOLDER: FolderState = { is: 'missing', reason: 'gone' };
const waitingFor = (kind: 'folder' | 'network'): FolderState => ({
  is: 'waiting',
  problem: problem(kind, 'Not now.'),
  until: 1,
});

type BadgeCase<S> = [title: string, states: S[], badge: [string, number, string] | null];

describe('the badge of the Publish page in the sidebar (desktop §8.12)', () => {
  it.each([
    ['no badge without work', [published(1), { is: 'cancelled' }], null],
    ['a drop that is being published', [WORKING, published(2)], ['working', 1, '1 being published']],
    ['a queued drop counts as being published', [QUEUED, WORKING], ['working', 2, '2 being published']],
    ['a question ranks above work', [WORKING, ASKING], ['waiting', 1, '1 with a question, 1 being published']],
    [
      'a failure ranks above a question',
      [WORKING, ASKING, FAILED],
      ['failed', 1, '1 failed, 1 with a question, 1 being published'],
    ],
  ] as BadgeCase<PublishingState>[])('counts the drops with the highest severity: %s', (_case, states, expected) => {
    const drops = states.map((state, number) => publishing(number + 1, state));
    const badge = publishBadge(drops, new Set());
    expect(badge && [badge.is, badge.count, badge.text]).toEqual(expected);
  });
});

describe('the badge of the Folders page in the sidebar (desktop §8.12)', () => {
  it.each([
    [
      'no badge for folders that are live, paused or starting',
      [{ is: 'live' }, { is: 'paused', why: 'asked' }, { is: 'starting' }],
      null,
    ],
    ['no badge for a folder that is retried automatically', [waitingFor('network')], null],
    ['a folder that is being published', [PUBLISHING, { is: 'live' }], ['working', 1, '1 being published']],
    [
      'a missing folder ranks above work',
      [PUBLISHING, GONE_FOLDER],
      ['waiting', 1, '1 with nothing to publish, 1 being published'],
    ],
    [
      'a failure ranks above a missing folder',
      [GONE_FOLDER, FAILED],
      ['failed', 1, '1 failed, 1 with nothing to publish'],
    ],
    ['an unreadable folder counts as failed', [waitingFor('folder')], ['failed', 1, '1 failed']],
  ] as BadgeCase<FolderState>[])('counts the folders with the highest severity: %s', (_case, states, expected) => {
    const badge = foldersBadge(states.map((state, number) => folder(number, 'site', state)));
    expect(badge && [badge.is, badge.count, badge.text]).toEqual(expected);
  });
});
