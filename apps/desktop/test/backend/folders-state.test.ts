import { ClientError, type ClientErrorKind, type WatchEvent } from '@berth/client';
import { describe, expect, it } from 'vitest';
import { initialFolderView, applyWatchEvent } from '../../src/main/folders/folder-state.ts';
import type { FolderState } from '../../src/shared/folder.ts';
import { DEPLOYMENT, DOMAIN, NOW } from './samples.ts';

const NOTHING = { files: 0, bytes: 0 };
const SOME = { files: 2, bytes: 20 };

const walked: WatchEvent = { type: 'walked', total: SOME, skipped: [{ path: '.env', reason: 'private' }] };
const COMMITTED: WatchEvent = { type: 'committed', deployment: DEPLOYMENT };
const published: WatchEvent = { type: 'published', deployment: DEPLOYMENT, url: DOMAIN.url };
const failed = (kind: ClientErrorKind, waitMs: number | null, status?: number): WatchEvent => ({
  type: 'failed',
  error: new ClientError(kind, 'It did not work.', { status }),
  waitMs,
});

const BEGIN = initialFolderView({ url: null, live: null, needsDns: false });
const after = (...events: WatchEvent[]) => events.reduce((view, event) => applyWatchEvent(view, event, NOW), BEGIN);

const WATCHING: WatchEvent = { type: 'watching', folder: '/site', domain: 'www.example.com' };
const SETTLING: WatchEvent = { type: 'settling' };
const UNCHANGED: WatchEvent = { type: 'unchanged' };

describe('the state of a folder after events of its watch (desktop §5, §8)', () => {
  it.each<[string, WatchEvent[], FolderState['is']]>([
    ['no event', [], 'starting'],
    ['the watch has started', [WATCHING], 'starting'],
    ['a change', [WATCHING, SETTLING], 'settling'],
    ['the folder is listed', [WATCHING, walked], 'publishing'],
    ['the files are hashed', [walked, { type: 'hashed', done: SOME, total: SOME, cached: NOTHING }], 'publishing'],
    ['everything is uploaded', [walked, { type: 'uploaded', done: SOME, total: SOME, sentBytes: 20 }], 'publishing'],
    ['a lost connection', [walked, { type: 'retried', attempt: 1, waitMs: 50, reason: 'broken' }], 'publishing'],
    ['a commit, before the domain is linked', [walked, COMMITTED], 'publishing'],
    ['a linked domain, before the publish is confirmed', [walked, { type: 'linked', domain: DOMAIN }], 'publishing'],
    ['a publish', [walked, published], 'live'],
    ['an unchanged folder', [WATCHING, UNCHANGED], 'live'],
    ['a change of a live folder', [published, SETTLING], 'settling'],
    ['a restarted watch of a live folder', [published, WATCHING], 'starting'],
    ['the folder is gone', [published, { type: 'missing', reason: 'gone' }], 'missing'],
    ['the folder came back unchanged', [published, { type: 'missing', reason: 'gone' }, UNCHANGED], 'live'],
    ['a failure that is retried', [walked, failed('network', 50)], 'waiting'],
    ['a refusal', [walked, failed('refused', null)], 'failed'],
    ['an invalid key', [walked, failed('signed-out', null, 401)], 'signed-out'],
    ['a forbidden deploy', [walked, failed('signed-out', null, 403)], 'failed'],
    ['a live folder that cannot be read', [published, failed('refused', null)], 'failed'],
    ['a change after a refusal', [walked, failed('refused', null), SETTLING], 'settling'],
    ['a new deploy after a refusal', [walked, failed('refused', null), walked], 'publishing'],
    ['old versions that cannot be deleted', [published, failed('network', null)], 'live'],
    ['old versions that must not be deleted', [published, failed('signed-out', null, 403)], 'live'],
    ['old versions that cannot be deleted during a change', [published, SETTLING, failed('server', null)], 'settling'],
    ['deleted old versions', [published, { type: 'pruned', deployments: ['a'] }], 'live'],
    ['polling', [published, { type: 'polling', everyMs: 2_000, reason: 'ENOSPC' }], 'live'],
  ])('%s', (_what, events, is) => expect(after(...events).state.is).toBe(is));

  it('includes the live version and its address as soon as it is live', () => {
    expect(after(walked).live).toBeNull();
    expect(after(walked, COMMITTED).live).toBeNull();
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
    expect(after(walked, COMMITTED, failed('refused', null)).state).toMatchObject({
      problem: { kind: 'refused', next: expect.stringContaining('Choose another name') },
    });
    expect(after(walked, failed('refused', null)).state).toMatchObject({ problem: { next: null } });
    expect(after(walked, COMMITTED, failed('server', null)).state).not.toMatchObject({
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
