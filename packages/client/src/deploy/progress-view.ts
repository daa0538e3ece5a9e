// The progress of a deploy as a state instead of events, so that a window that opens later can also show it. Also runs in a browser.
import type { Amount, SkippedFile, SkipReason } from '../folder/snapshot.ts';
import type { DeployEvent } from './events.ts';

/** The files that a deployment skipped for one reason: their number and the first few paths. */
export interface SkippedFileGroup {
  reason: Exclude<SkipReason, 'junk'>;
  count: number;
  paths: string[];
}

/** The progress of a deploy. */
export type Progress =
  /** The files of the folder are being listed. */
  | { phase: 'listing' }
  /** The files are being read. `cached` counts the unchanged files, which are not read again. */
  | { phase: 'reading'; done: Amount; total: Amount; cached: Amount }
  /** The server is asked which contents are missing. */
  | { phase: 'comparing'; total: Amount }
  /** `bytesPerSecond` is the speed over the last seconds; `null` until it is measured. */
  | { phase: 'sending'; done: Amount; total: Amount; bytesPerSecond: number | null }
  /** All contents are uploaded, and the server creates the deployment. */
  | { phase: 'finishing' }
  /** The deployment is live, and the server links the domain. */
  | { phase: 'linking' }
  /** An attempt failed and will be retried. `at` is the time of the retry, in Unix milliseconds. */
  | { phase: 'retrying'; attempt: number; at: number; reason: string };

/** The period over which the speed is measured, in milliseconds. */
const SPEED_OVER_MS = 3_000;
/** The shortest period that gives a meaningful speed, in milliseconds. */
const SPEED_FROM_MS = 500;
const SHOWN_PATHS = 5;

/** The state of a running deploy. */
export interface ProgressView {
  progress: Progress;
  leftOut: SkippedFileGroup[];
  /** The size of the folder. */
  total: Amount;
  /** The samples of the last seconds: the number of bytes that were sent until each time. */
  sentSamples: readonly { at: number; bytes: number }[];
}

/** The state of a deploy before the first event. */
export function initialProgress(): ProgressView {
  return { progress: { phase: 'listing' }, leftOut: [], total: { files: 0, bytes: 0 }, sentSamples: [] };
}

/** Applies an event to the state. @param nowMs The time of the event, in Unix milliseconds. Source: desktop §6, §8. */
export function applyDeployEvent(view: ProgressView, event: DeployEvent, nowMs: number): ProgressView {
  switch (event.type) {
    case 'walked': {
      const { total } = event;
      const zeroAmount = { files: 0, bytes: 0 };
      const progress = { phase: 'reading', done: zeroAmount, total, cached: zeroAmount } as const;
      return { ...view, progress, total, leftOut: leftOutOf(event.skipped) };
    }
    case 'hashed': {
      const { done, total, cached } = event;
      const isRead = done.files === total.files;
      const progress: Progress = isRead ? { phase: 'comparing', total } : { phase: 'reading', done, total, cached };
      return { ...view, progress, total };
    }
    case 'planned': {
      const progress = sendingProgress({ files: 0, bytes: 0 }, event.missing, null);
      return { ...view, progress, sentSamples: [{ at: nowMs, bytes: 0 }] };
    }
    case 'uploaded': {
      const sentSamples = [...recentSamples(view.sentSamples, nowMs), { at: nowMs, bytes: event.sentBytes }];
      return {
        ...view,
        progress: sendingProgress(event.done, event.total, speedOf(sentSamples)),
        sentSamples,
      };
    }
    case 'retried': {
      const { attempt, waitMs, reason } = event;
      return { ...view, progress: { phase: 'retrying', attempt, at: nowMs + waitMs, reason } };
    }
    case 'committed':
    case 'linked':
      return { ...view, progress: { phase: 'linking' } };
    default:
      return event satisfies never;
  }
}

function sendingProgress(done: Amount, total: Amount, bytesPerSecond: number | null): Progress {
  if (done.files === total.files) return { phase: 'finishing' };
  return { phase: 'sending', done, total, bytesPerSecond };
}

/** Drops old samples except the newest old sample, so that a pause lowers the speed. */
function recentSamples(sent: ProgressView['sentSamples'], nowMs: number): ProgressView['sentSamples'] {
  const firstRecent = sent.findLastIndex(({ at }) => at <= nowMs - SPEED_OVER_MS);
  return sent.slice(Math.max(0, firstRecent));
}

function speedOf(sent: ProgressView['sentSamples']): number | null {
  const [first, last] = [sent.at(0), sent.at(-1)];
  if (!first || !last || last.at - first.at < SPEED_FROM_MS) return null;
  return Math.max(0, Math.round(((last.bytes - first.bytes) * 1_000) / (last.at - first.at)));
}

/** Groups skipped files by reason, with the first few paths of each. Leaves out junk files of operating systems. */
export function leftOutOf(skipped: readonly SkippedFile[]): SkippedFileGroup[] {
  const groups = Map.groupBy(skipped, ({ reason }) => reason);
  return [...groups].flatMap(([reason, files]) => {
    const paths = files.slice(0, SHOWN_PATHS).map(({ path }) => path);
    return reason === 'junk' ? [] : [{ reason, count: files.length, paths }];
  });
}
