import { bytes, count, duration } from '@berth/client/amounts';
import type { Amount, PauseReason, Progress, Publishing } from '../publishing.ts';
import { untilText } from './time.ts';

interface ProgressText {
  /** The current step. */
  doing: string;
  /** The numbers of the step. */
  detail: string;
  /** The part that is done, from 0 to 1; `null` if it is unknown. */
  part: number | null;
  /** True while nothing happens until the next attempt. */
  isWaiting?: boolean;
}

/** Describes the progress of a publish job. @param now Unix milliseconds. */
export function progressText(progress: Progress, now: number): ProgressText {
  switch (progress.phase) {
    case 'listing':
      return { doing: 'Scanning folder', detail: '', part: null };
    case 'reading':
      return { doing: 'Scanning', detail: readingDetail(progress), part: partOf(progress.done, progress.total) };
    case 'comparing':
      return { doing: 'Checking what’s already uploaded', detail: count(progress.total.files, 'file'), part: null };
    case 'sending':
      return { doing: 'Uploading', detail: sendingDetail(progress), part: partOf(progress.done, progress.total) };
    case 'finishing':
      return { doing: 'Finishing up', detail: 'All files are uploaded', part: 1 };
    case 'linking':
      return { doing: 'Updating the address', detail: '', part: 1 };
    case 'retrying':
      return {
        doing: `Trying again ${untilText(progress.at, now)}`,
        detail: progress.reason,
        part: null,
        isWaiting: true,
      };
  }
}

/** What screen readers announce when a phase begins. */
const MILESTONES: Partial<Record<Progress['phase'], string>> = {
  reading: 'scanning files',
  sending: 'uploading files',
  finishing: 'all files are uploaded',
  retrying: 'an attempt failed and will be retried',
};

const PAUSE_TEXTS: Record<PauseReason, string> = {
  asked: 'Nothing is sent until you continue.',
  offline: 'There is no connection. The upload continues when it is back.',
  permission: 'You reloaded the page. The browser asks before it reads the folder again.',
  'choose-again':
    'You reloaded the page. Choose the same folder to continue. Files that were already sent are not sent again.',
};

/** Returns what screen readers announce when a drop comes into its state; an empty text for nothing. */
export function announcementOf({ name, state }: Publishing): string {
  switch (state.is) {
    case 'asking':
      return `${name} needs an answer.`;
    case 'queued':
      return `${name} is queued.`;
    case 'building':
      return `${name} is being built.`;
    case 'working': {
      const milestone = MILESTONES[state.progress.phase];
      return milestone === undefined ? '' : `${name}: ${milestone}.`;
    }
    case 'paused':
      return `${name} is paused. ${pauseText(state.why)}`;
    case 'published':
      return `${name} is published${state.published.copied ? ' and its link is copied' : ''}.`;
    case 'failed':
      return `${name} was not published: ${state.problem.message}`;
    case 'cancelled':
      return `${name} was cancelled.`;
  }
}

/** Says why an upload waits, and when it continues. */
export function pauseText(why: PauseReason): string {
  return PAUSE_TEXTS[why];
}

/** Formats how much of an upload was sent: `3.4 of 12 MB`. */
export function sentText({ done, total }: { done: Amount; total: Amount }): string {
  return bytesOf(done.bytes, total.bytes);
}

/** Formats two amounts of bytes, with the unit only once if both have the same unit: `3.4 of 12 MB`. */
function bytesOf(done: number, total: number): string {
  const [doneNumber, doneUnit] = bytes(done).split(' ');
  const [totalNumber, totalUnit] = bytes(total).split(' ');
  return doneUnit === totalUnit ? `${doneNumber} of ${totalNumber} ${totalUnit}` : `${bytes(done)} of ${bytes(total)}`;
}

function readingDetail({ done, total, cached }: Extract<Progress, { phase: 'reading' }>): string {
  const unchangedText = cached.files > 0 ? ` · ${cached.files.toLocaleString('en-US')} unchanged` : '';
  return `${done.files.toLocaleString('en-US')} of ${count(total.files, 'file')}${unchangedText}`;
}

function sendingDetail({ done, total, bytesPerSecond }: Extract<Progress, { phase: 'sending' }>): string {
  const parts = [bytesOf(done.bytes, total.bytes)];
  if (bytesPerSecond !== null && bytesPerSecond > 0) {
    parts.push(`${bytes(Math.round(bytesPerSecond))}/s`);
    const seconds = Math.ceil((total.bytes - done.bytes) / bytesPerSecond);
    if (seconds > 0) parts.push(`${duration(seconds)} left`);
  }
  return parts.join(' · ');
}

/** Returns the part of an amount that is done, from 0 to 1. */
export function partOf(done: Amount, total: Amount): number {
  if (total.bytes > 0) return Math.min(1, done.bytes / total.bytes);
  return total.files > 0 ? Math.min(1, done.files / total.files) : 1;
}
