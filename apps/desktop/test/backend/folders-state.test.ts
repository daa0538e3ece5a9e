import { ClientError, type ClientErrorKind, type WatchEvent } from '@berth/client';
import { describe, expect, it } from 'vitest';
import { initialFolderView, applyWatchEvent } from '../../src/main/folders/folder-state.ts';
import type { FolderState } from '../../src/shared/folder.ts';
import { DEPLOYMENT, DOMAIN, NOW } from './samples.ts';

const ZERO_AMOUNT = { files: 0, bytes: 0 };
const FILES = { files: 2, bytes: 20 };

const walkedEvent: WatchEvent = { type: 'walked', total: FILES, skipped: [{ path: '.env', reason: 'private' }] };
const COMMITTED: WatchEvent = { type: 'committed', deployment: DEPLOYMENT };
const published: WatchEvent = { type: 'published', deployment: DEPLOYMENT, url: DOMAIN.url };
const failedEvent = (kind: ClientErrorKind, waitMs: number | null, status?: number): WatchEvent => ({
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

const INITIAL = initialFolderView({ url: null, live: null, needsDns: false, build: null });
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
    ['the folder is listed', 'publishing', [WATCHING, walkedEvent]],
    [
      'the files are hashed',
      'publishing',
      [walkedEvent, { type: 'hashed', done: FILES, total: FILES, cached: ZERO_AMOUNT }],
    ],
    [
      'everything is uploaded',
      'publishing',
      [walkedEvent, { type: 'uploaded', done: FILES, total: FILES, sentBytes: 20 }],
    ],
    ['a lost connection', 'publishing', [walkedEvent, { type: 'retried', attempt: 1, waitMs: 50, reason: 'broken' }]],
    ['a commit, before the domain is linked', 'publishing', [walkedEvent, COMMITTED]],
    [
      'a linked domain, before the publish is confirmed',
      'publishing',
      [walkedEvent, { type: 'linked', domain: DOMAIN }],
    ],
    ['a publish', 'live', [walkedEvent, published]],
    ['an unchanged folder', 'live', [WATCHING, UNCHANGED]],
    ['a change of a live folder', 'settling', [published, SETTLING]],
    ['a restarted watch of a live folder', 'starting', [published, WATCHING]],
    ['the folder is gone', 'missing', [published, { type: 'missing', reason: 'gone' }]],
    ['the folder came back unchanged', 'live', [published, { type: 'missing', reason: 'gone' }, UNCHANGED]],
    ['a failure that is retried', 'waiting', [walkedEvent, failedEvent('network', 50)]],
    ['a refusal', 'failed', [walkedEvent, failedEvent('refused', null)]],
    ['an invalid key', 'signed-out', [walkedEvent, failedEvent('signed-out', null, 401)]],
    ['a forbidden deploy', 'failed', [walkedEvent, failedEvent('signed-out', null, 403)]],
    ['a live folder that cannot be read', 'failed', [published, failedEvent('refused', null)]],
    ['a change after a refusal', 'settling', [walkedEvent, failedEvent('refused', null), SETTLING]],
    ['a new deploy after a refusal', 'publishing', [walkedEvent, failedEvent('refused', null), walkedEvent]],
    ['old versions that cannot be deleted', 'live', [published, notPruned('network')]],
    ['old versions that must not be deleted', 'live', [published, notPruned('signed-out', 403)]],
    ['old versions that cannot be deleted during a change', 'settling', [published, SETTLING, notPruned('server')]],
    ['deleted old versions', 'live', [published, { type: 'pruned', deployments: ['a'] }]],
    ['polling', 'live', [published, { type: 'polling', everyMs: 2_000, reason: 'ENOSPC' }]],
  ])('after %s is "%s"', (_what, is, events) => expect(viewAfter(...events).state.is).toBe(is));

  it('includes the live version and its address as soon as the version is live', () => {
    expect(viewAfter(walkedEvent).live).toBeNull();
    expect(viewAfter(walkedEvent, COMMITTED).live).toBeNull();
    expect(viewAfter(walkedEvent, published)).toMatchObject({
      url: DOMAIN.url,
      live: { deployment: DEPLOYMENT.deployment, files: 2, bytes: 20, at: NOW },
    });
    expect(viewAfter(walkedEvent, published, SETTLING, walkedEvent, failedEvent('refused', null)).live).toMatchObject({
      files: 2,
    });
  });

  it('includes the problem and the time of the retry after a failure', () => {
    expect(viewAfter(walkedEvent, failedEvent('unavailable', 5_000)).state).toMatchObject({
      until: NOW + 5_000,
      problem: { kind: 'unavailable', message: 'It did not work.' },
    });
    expect(viewAfter(walkedEvent, failedEvent('refused', null)).state).not.toHaveProperty('until');
  });

  it('suggests another name if the server refused the name, and not after other failures', () => {
    expect(viewAfter(walkedEvent, COMMITTED, failedEvent('refused', null)).state).toMatchObject({
      problem: { kind: 'refused', next: expect.stringContaining('Choose another name') },
    });
    expect(viewAfter(walkedEvent, failedEvent('refused', null)).state).toMatchObject({ problem: { next: null } });
    expect(viewAfter(walkedEvent, COMMITTED, failedEvent('server', null)).state).not.toMatchObject({
      problem: { next: expect.stringContaining('name') },
    });
  });

  it('includes the progress and the skipped files of a deploy, and keeps the skipped files afterwards', () => {
    const skippedFiles = [{ reason: 'private', count: 1, paths: ['.env'] }];
    expect(viewAfter(walkedEvent)).toMatchObject({ state: { progress: { phase: 'reading' } }, leftOut: skippedFiles });
    expect(viewAfter(walkedEvent, published)).toMatchObject({ deploy: null, leftOut: skippedFiles });
  });

  it.each([
    ['pending', true],
    ['partial', true],
    ['success', false],
    ['paused', false],
  ] as const)('for a domain with the status %s has `needsDns: %s`', (status, needsDns) => {
    const linkedEvent: WatchEvent = { type: 'linked', domain: { ...DOMAIN, status } };
    expect(viewAfter(walkedEvent, linkedEvent, published).needsDns).toBe(needsDns);
    expect(viewAfter(walkedEvent, linkedEvent, published, SETTLING, UNCHANGED).needsDns).toBe(needsDns);
  });

  it('still says that the folder is polled, and why, after a publish', () => {
    const polledView = viewAfter({ type: 'polling', everyMs: 2_000, reason: 'ENOSPC' }, published);
    expect(polledView.polling).toEqual({ everyMs: 2_000, reason: 'ENOSPC' });
  });
});
