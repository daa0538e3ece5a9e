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
const GONE: FolderState = { is: 'missing', reason: 'gone' };
const until = (kind: 'folder' | 'network'): FolderState => ({
  is: 'waiting',
  problem: problem(kind, 'Not now.'),
  until: 1,
});

describe('the badge of the Publish page (desktop §8.12)', () => {
  it.each([
    ['is empty when nothing is being published', [published(1), { is: 'cancelled' }], null],
    ['counts a drop that is being published', [WORKING, published(2)], ['working', 1, '1 being published']],
    ['counts queued drops as being published', [QUEUED, WORKING], ['working', 2, '2 being published']],
    ['ranks a question above work', [WORKING, ASKING], ['waiting', 1, '1 with a question, 1 being published']],
    [
      'ranks a failure above a question',
      [WORKING, ASKING, FAILED],
      ['failed', 1, '1 failed, 1 with a question, 1 being published'],
    ],
  ] as [string, PublishingState[], [string, number, string] | null][])('%s', (_what, states, expected) => {
    const badge = publishBadge(
      states.map((state, number) => publishing(number + 1, state)),
      new Set(),
    );
    expect(badge && [badge.is, badge.count, badge.text]).toEqual(expected);
  });
});

describe('the badge of the Folders page (desktop §8.12)', () => {
  it.each([
    [
      'is empty when all folders are live, paused or starting',
      [{ is: 'live' }, { is: 'paused', why: 'asked' }, { is: 'starting' }],
      null,
    ],
    ['ignores a folder that is retried automatically', [until('network')], null],
    ['counts a folder that is being published', [PUBLISHING, { is: 'live' }], ['working', 1, '1 being published']],
    [
      'ranks a missing folder above work',
      [PUBLISHING, GONE],
      ['waiting', 1, '1 with nothing to publish, 1 being published'],
    ],
    ['ranks a failure above a missing folder', [GONE, FAILED], ['failed', 1, '1 failed, 1 with nothing to publish']],
    ['counts an unreadable folder as failed', [until('folder')], ['failed', 1, '1 failed']],
  ] as [string, FolderState[], [string, number, string] | null][])('%s', (_what, states, expected) => {
    const badge = foldersBadge(states.map((state, number) => folder(number, 'site', state)));
    expect(badge && [badge.is, badge.count, badge.text]).toEqual(expected);
  });
});
