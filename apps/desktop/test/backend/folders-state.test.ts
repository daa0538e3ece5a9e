import { ClientError, type ClientErrorKind, type WatchEvent } from '@berth/client';
import { describe, expect, it } from 'vitest';
import { initialFolderView, applyWatchEvent } from '../../src/main/folders/folder-state.ts';
import type { FolderState } from '../../src/shared/folder.ts';
import { DEPLOYMENT, DOMAIN, NOW } from './samples.ts';

const NONE = { files: 0, bytes: 0 };
const FILES = { files: 2, bytes: 20 };

const walked: WatchEvent = { type: 'walked', total: FILES, skipped: [{ path: '.env', reason: 'private' }] };
const COMMITTED: WatchEvent = { type: 'committed', deployment: DEPLOYMENT };
const published: WatchEvent = { type: 'published', deployment: DEPLOYMENT, url: DOMAIN.url };
const failed = (kind: ClientErrorKind, waitMs: number | null, status?: number): WatchEvent => ({
  type: 'failed',
  error: new ClientError(kind, 'It did not work.', { status }),
  waitMs,
  during: 'publish',
});
const notPruned = (kind: ClientErrorKind, status?: number): WatchEvent => ({
  type: 'failed',
  error: new ClientError(kind, 'It did not work.', { status }),
  waitMs: null,
  during: 'prune',
});

const INITIAL = initialFolderView({ url: null, live: null, needsDns: false });
const viewAfter = (...events: WatchEvent[]) =>
  events.reduce((view, event) => applyWatchEvent(view, event, NOW), INITIAL);

const WATCHING: WatchEvent = { type: 'watching', folder: '/site', domain: 'www.example.com' };
const SETTLING: WatchEvent = { type: 'settling' };
const UNCHANGED: WatchEvent = { type: 'unchanged' };

describe('the state of a watched folder (desktop §5, §8)', () => {
  it.each<[string, FolderState['is'], WatchEvent[]]>([
    ['no event', 'starting', []],
    ['the watch has started', 'starting', [WATCHING]],
    ['a change', 'settling', [WATCHING, SETTLING]],
    ['the folder is listed', 'publishing', [WATCHING, walked]],
    ['the files are hashed', 'publishing', [walked, { type: 'hashed', done: FILES, total: FILES, cached: NONE }]],
    ['everything is uploaded', 'publishing', [walked, { type: 'uploaded', done: FILES, total: FILES, sentBytes: 20 }]],
    ['a lost connection', 'publishing', [walked, { type: 'retried', attempt: 1, waitMs: 50, reason: 'broken' }]],
    ['a commit, before the domain is linked', 'publishing', [walked, COMMITTED]],
    ['a linked domain, before the publish is confirmed', 'publishing', [walked, { type: 'linked', domain: DOMAIN }]],
    ['a publish', 'live', [walked, published]],
    ['an unchanged folder', 'live', [WATCHING, UNCHANGED]],
    ['a change of a live folder', 'settling', [published, SETTLING]],
    ['a restarted watch of a live folder', 'starting', [published, WATCHING]],
    ['the folder is gone', 'missing', [published, { type: 'missing', reason: 'gone' }]],
    ['the folder came back unchanged', 'live', [published, { type: 'missing', reason: 'gone' }, UNCHANGED]],
    ['a failure that is retried', 'waiting', [walked, failed('network', 50)]],
    ['a refusal', 'failed', [walked, failed('refused', null)]],
    ['an invalid key', 'signed-out', [walked, failed('signed-out', null, 401)]],
    ['a forbidden deploy', 'failed', [walked, failed('signed-out', null, 403)]],
    ['a live folder that cannot be read', 'failed', [published, failed('refused', null)]],
    ['a change after a refusal', 'settling', [walked, failed('refused', null), SETTLING]],
    ['a new deploy after a refusal', 'publishing', [walked, failed('refused', null), walked]],
    ['old versions that cannot be deleted', 'live', [published, notPruned('network')]],
    ['old versions that must not be deleted', 'live', [published, notPruned('signed-out', 403)]],
    ['old versions that cannot be deleted during a change', 'settling', [published, SETTLING, notPruned('server')]],
    ['deleted old versions', 'live', [published, { type: 'pruned', deployments: ['a'] }]],
    ['polling', 'live', [published, { type: 'polling', everyMs: 2_000, reason: 'ENOSPC' }]],
  ])('after %s is "%s"', (_what, is, events) => expect(viewAfter(...events).state.is).toBe(is));

  it('includes the live version and its address as soon as the version is live', () => {
    expect(viewAfter(walked).live).toBeNull();
    expect(viewAfter(walked, COMMITTED).live).toBeNull();
    expect(viewAfter(walked, published)).toMatchObject({
      url: DOMAIN.url,
      live: { deployment: DEPLOYMENT.deployment, files: 2, bytes: 20, at: NOW },
    });
    expect(viewAfter(walked, published, SETTLING, walked, failed('refused', null)).live).toMatchObject({ files: 2 });
  });

  it('includes the problem and the time of the retry after a failure', () => {
    expect(viewAfter(walked, failed('unavailable', 5_000)).state).toMatchObject({
      until: NOW + 5_000,
      problem: { kind: 'unavailable', message: 'It did not work.' },
    });
    expect(viewAfter(walked, failed('refused', null)).state).not.toHaveProperty('until');
  });

  it('suggests another name if the server refused the name, and not after other failures', () => {
    expect(viewAfter(walked, COMMITTED, failed('refused', null)).state).toMatchObject({
      problem: { kind: 'refused', next: expect.stringContaining('Choose another name') },
    });
    expect(viewAfter(walked, failed('refused', null)).state).toMatchObject({ problem: { next: null } });
    expect(viewAfter(walked, COMMITTED, failed('server', null)).state).not.toMatchObject({
      problem: { next: expect.stringContaining('name') },
    });
  });

  it('includes the progress and the skipped files of a deploy, and keeps the skipped files afterwards', () => {
    const skipped = [{ reason: 'private', count: 1, paths: ['.env'] }];
    expect(viewAfter(walked)).toMatchObject({ state: { progress: { phase: 'reading' } }, leftOut: skipped });
    expect(viewAfter(walked, published)).toMatchObject({ deploy: null, leftOut: skipped });
  });

  it.each([
    ['pending', true],
    ['partial', true],
    ['success', false],
    ['paused', false],
  ] as const)('for a domain with the status %s has `needsDns: %s`', (status, needsDns) => {
    const linked: WatchEvent = { type: 'linked', domain: { ...DOMAIN, status } };
    expect(viewAfter(walked, linked, published).needsDns).toBe(needsDns);
    expect(viewAfter(walked, linked, published, SETTLING, UNCHANGED).needsDns).toBe(needsDns);
  });

  it('still says that the folder is polled, and why, after a publish', () => {
    const view = viewAfter({ type: 'polling', everyMs: 2_000, reason: 'ENOSPC' }, published);
    expect(view.polling).toEqual({ everyMs: 2_000, reason: 'ENOSPC' });
  });
});
