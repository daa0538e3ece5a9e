import { ClientError, type ClientErrorKind, type WatchEvent } from '@berth/client';
import { describe, expect, it } from 'vitest';
import { initialFolderView, type FolderView, applyWatchEvent } from '../../src/main/folders/folder-state.ts';
import type { FolderState } from '../../src/shared/folder.ts';

const NOW = 1_790_000_000_000;
const NOTHING = { files: 0, bytes: 0 };
const SOME = { files: 2, bytes: 20 };
const DEPLOYMENT = {
  deployment: 'calm-otter-4k9x2qd',
  url: 'https://calm-otter-4k9x2qd.sites.example',
  files: 2,
  size: 20,
  status: 'success' as const,
  password: false,
  via: 'desktop',
  labels: [],
  created: 1_790_000_000,
};
const DOMAIN = {
  domain: 'www.example.com',
  url: 'https://www.example.com',
  deployment: DEPLOYMENT.deployment,
  status: 'success' as const,
  labels: [],
  created: 1_790_000_000,
  linked: 1_790_000_000,
  links: 1,
};

const walked: WatchEvent = { type: 'walked', total: SOME, skipped: [{ path: '.env', reason: 'private' }] };
const published: WatchEvent = { type: 'published', deployment: DEPLOYMENT, url: DOMAIN.url };
const failed = (kind: ClientErrorKind, waitMs: number | null, status?: number): WatchEvent => ({
  type: 'failed',
  error: new ClientError(kind, 'It did not work.', { status }),
  waitMs,
});

const begin = (): FolderView => initialFolderView({ url: null, live: null, needsDns: false });
const after = (...events: WatchEvent[]): FolderView =>
  events.reduce((view, event) => applyWatchEvent(view, event, NOW), begin());

const WATCHING: WatchEvent = { type: 'watching', folder: '/site', domain: 'www.example.com' };
const SETTLING: WatchEvent = { type: 'settling' };
const UNCHANGED: WatchEvent = { type: 'unchanged' };

describe('the state of a folder after events of its watch (desktop §5, §8)', () => {
  it.each<[string, WatchEvent[], FolderState['is']]>([
    ['nothing was heard', [], 'starting'],
    ['it is listened to', [WATCHING], 'starting'],
    ['it changed', [WATCHING, SETTLING], 'settling'],
    ['it is listed', [WATCHING, walked], 'publishing'],
    ['it is hashed', [walked, { type: 'hashed', done: SOME, total: SOME, cached: NOTHING }], 'publishing'],
    ['all of it was sent', [walked, { type: 'uploaded', done: SOME, total: SOME, sentBytes: 20 }], 'publishing'],
    ['the line broke', [walked, { type: 'retried', attempt: 1, waitMs: 50, reason: 'broken' }], 'publishing'],
    [
      'its deployment is there, and its address shows another',
      [walked, { type: 'committed', deployment: DEPLOYMENT }],
      'publishing',
    ],
    ['its address shows it, and that was not said yet', [walked, { type: 'linked', domain: DOMAIN }], 'publishing'],
    ['it was published', [walked, published], 'live'],
    ['it was live already', [WATCHING, UNCHANGED], 'live'],
    ['it was live and changed', [published, SETTLING], 'settling'],
    ['it was live, and is listened to anew', [published, WATCHING], 'starting'],
    ['it is gone', [published, { type: 'missing', reason: 'gone' }], 'missing'],
    ['it came back as it was', [published, { type: 'missing', reason: 'gone' }, UNCHANGED], 'live'],
    ['it is tried again', [walked, failed('network', 50)], 'waiting'],
    ['it was refused', [walked, failed('refused', null)], 'failed'],
    ['its key is not taken', [walked, failed('signed-out', null, 401)], 'signed-out'],
    ['it is not allowed', [walked, failed('signed-out', null, 403)], 'failed'],
    ['it was live, and cannot be read', [published, failed('refused', null)], 'failed'],
    ['it was refused, and changed', [walked, failed('refused', null), SETTLING], 'settling'],
    ['it was refused, and is listed again', [walked, failed('refused', null), walked], 'publishing'],
    ['old versions could not be deleted', [published, failed('network', null)], 'live'],
    ['old versions must not be deleted', [published, failed('signed-out', null, 403)], 'live'],
    ['old versions could not be deleted while it changed', [published, SETTLING, failed('server', null)], 'settling'],
    ['old versions were deleted', [published, { type: 'pruned', deployments: ['a'] }], 'live'],
    ['it is looked at every so often', [published, { type: 'polling', everyMs: 2_000, reason: 'ENOSPC' }], 'live'],
  ])('%s', (_what, events, is) => expect(after(...events).state.is).toBe(is));

  it('includes the live version and its address as soon as it is live', () => {
    expect(after(walked).live).toBeNull();
    expect(after(walked, { type: 'committed', deployment: DEPLOYMENT }).live).toBeNull();
    expect(after(walked, published)).toMatchObject({
      url: DOMAIN.url,
      live: { deployment: DEPLOYMENT.deployment, files: 2, bytes: 20, at: NOW },
    });
    expect(after(walked, published, SETTLING, walked, failed('refused', null)).live).toMatchObject({ files: 2 });
  });

  it('includes the problem and the time of the retry after a failure', () => {
    expect(after(walked, failed('unavailable', 5_000)).state).toMatchObject({
      until: NOW + 5_000,
      problem: { kind: 'unavailable', message: 'It did not work.' },
    });
    expect(after(walked, failed('refused', null)).state).not.toHaveProperty('until');
  });

  it('suggests another name only if the name was refused', () => {
    const committed: WatchEvent = { type: 'committed', deployment: DEPLOYMENT };
    expect(after(walked, committed, failed('refused', null)).state).toMatchObject({
      problem: { kind: 'refused', next: expect.stringContaining('Choose another name') },
    });
    expect(after(walked, failed('refused', null)).state).toMatchObject({ problem: { next: null } });
    expect(after(walked, committed, failed('server', null)).state).not.toMatchObject({
      problem: { next: expect.stringContaining('name') },
    });
  });

  it('includes the progress and the skipped files of a deploy, and keeps the skipped files afterwards', () => {
    const skipped = [{ reason: 'private', count: 1, paths: ['.env'] }];
    expect(after(walked)).toMatchObject({ state: { progress: { phase: 'reading' } }, leftOut: skipped });
    expect(after(walked, published)).toMatchObject({ deploy: null, leftOut: skipped });
  });

  it.each([
    ['pending', true],
    ['partial', true],
    ['success', false],
    ['paused', false],
  ] as const)('for a domain with the status %s, needsDns is %s', (status, needsDns) => {
    const linked: WatchEvent = { type: 'linked', domain: { ...DOMAIN, status } };
    expect(after(walked, linked, published).needsDns).toBe(needsDns);
    expect(after(walked, linked, published, SETTLING, UNCHANGED).needsDns).toBe(needsDns);
  });

  it('keeps saying that the folder is polled, and why', () => {
    const view = after({ type: 'polling', everyMs: 2_000, reason: 'ENOSPC' }, published);
    expect(view.polling).toEqual({ everyMs: 2_000, reason: 'ENOSPC' });
  });
});
