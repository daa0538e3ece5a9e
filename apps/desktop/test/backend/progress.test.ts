import type { DeployEvent, SkippedFile } from '@berth/client';
import { expect, test } from 'vitest';
import { initialProgress, type ProgressView, applyDeployEvent } from '@berth/client/progress-view';
import { Progress } from '../../src/shared/progress.ts';

const amount = (files: number, bytes: number) => ({ files, bytes });
const ZERO_AMOUNT = amount(0, 0);
const changes = { added: [], changed: [], removed: [], unchanged: 0 };
const walkedEvent = (skipped: SkippedFile[] = []): DeployEvent => ({ type: 'walked', total: amount(4, 400), skipped });
const planned = (missing = amount(2, 200_000)): DeployEvent => ({ type: 'planned', via: 'delta', changes, missing });
const uploaded = (sentBytes: number, files = 1): DeployEvent => ({
  type: 'uploaded',
  done: amount(files, sentBytes),
  total: amount(2, 200_000),
  sentBytes,
});

/** The progress after each of several events with their times. */
function progressAfter(...events: [DeployEvent, number?][]): ProgressView {
  const view = events.reduce((view, [event, at = 0]) => applyDeployEvent(view, event, at), initialProgress());
  expect(Progress.safeParse(view.progress).error).toBeUndefined();
  return view;
}

test('the progress goes through every phase of a deploy, from listing to linking (desktop §8.3)', () => {
  expect(initialProgress().progress).toEqual({ phase: 'listing' });
  const read: DeployEvent = { type: 'hashed', done: amount(1, 100), total: amount(4, 400), cached: amount(1, 100) };
  const allRead: DeployEvent = { ...read, done: amount(4, 400) };
  const phases = [
    [walkedEvent(), { phase: 'reading', done: ZERO_AMOUNT, total: amount(4, 400), cached: ZERO_AMOUNT }],
    [read, { phase: 'reading', done: amount(1, 100), total: amount(4, 400), cached: amount(1, 100) }],
    [allRead, { phase: 'comparing', total: amount(4, 400) }],
    [planned(), { phase: 'sending', done: ZERO_AMOUNT, total: amount(2, 200_000), bytesPerSecond: null }],
    [uploaded(100), { phase: 'sending', done: amount(1, 100), total: amount(2, 200_000), bytesPerSecond: null }],
    [uploaded(200_000, 2), { phase: 'finishing' }],
    [{ type: 'committed', deployment: {} as never }, { phase: 'linking' }],
    [{ type: 'linked', domain: {} as never }, { phase: 'linking' }],
  ] as const;
  phases.reduce((view, [event, progress]) => {
    const nextView = applyDeployEvent(view, event, 0);
    expect(nextView.progress).toEqual(progress);
    return nextView;
  }, initialProgress());
});

test('the progress skips the phase `sending` if the server needs no contents', () => {
  expect(progressAfter([planned(ZERO_AMOUNT)]).progress).toEqual({ phase: 'finishing' });
});

test('the speed of an upload is measured over the last 3 seconds', () => {
  const view = progressAfter(
    [planned(), 0],
    [uploaded(90_000), 1_000],
    [uploaded(90_000), 4_000],
    [uploaded(93_000), 5_000],
    [uploaded(96_000), 6_000],
    [uploaded(99_000), 7_000],
  );
  expect(view.progress).toMatchObject({ phase: 'sending', bytesPerSecond: 3_000 });
});

test('a pause lowers the measured speed of an upload, and a short period is not enough to measure the speed', () => {
  expect(progressAfter([planned(), 0], [uploaded(50_000), 499]).progress).toMatchObject({ bytesPerSecond: null });
  expect(progressAfter([planned(), 0], [uploaded(50_000), 500]).progress).toMatchObject({ bytesPerSecond: 100_000 });
  expect(progressAfter([planned(), 0], [uploaded(0), 1_000], [uploaded(50_000), 51_000]).progress).toMatchObject({
    bytesPerSecond: 1_000,
  });
});

test('the progress of a long upload keeps only a few samples of the speed', () => {
  const timedEvents = Array.from({ length: 5_000 }, (_, i): [DeployEvent, number] => [uploaded(i), i * 100]);
  expect(progressAfter([planned(), 0], ...timedEvents).sentSamples.length).toBeLessThan(35);
});

test('after a temporary failure, the progress contains the reason and the time of the next attempt', () => {
  const retried: DeployEvent = { type: 'retried', attempt: 2, waitMs: 750, reason: 'The line broke' };
  expect(progressAfter([planned(), 0], [retried, 10_000]).progress).toEqual({
    phase: 'retrying',
    attempt: 2,
    at: 10_750,
    reason: 'The line broke',
  });
});

test('skipped files are grouped by reason with at most 5 paths each, without junk files (desktop §8.18)', () => {
  const skippedLinks = Array.from({ length: 7 }, (_, i): SkippedFile => ({ path: `link${i}`, reason: 'link' }));
  const { leftOut } = progressAfter(
    [walkedEvent([{ path: '.DS_Store', reason: 'junk' }, { path: '.env', reason: 'private' }, ...skippedLinks])],
    [planned()],
  );
  expect(leftOut).toEqual([
    { reason: 'private', count: 1, paths: ['.env'] },
    { reason: 'link', count: 7, paths: ['link0', 'link1', 'link2', 'link3', 'link4'] },
  ]);
});

test('applying an event does not modify the previous progress', () => {
  const viewBefore = progressAfter([planned(), 0], [uploaded(100), 1]);
  const viewCopy = structuredClone(viewBefore);
  applyDeployEvent(viewBefore, uploaded(200), 2);
  expect(viewBefore).toEqual(viewCopy);
});
