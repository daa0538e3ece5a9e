import type { Amount, Changes, DeployEvent, SkippedFile, SkipReason } from '@berth/client';
import { bytes, count, duration } from '@berth/client/amounts';
import { escapeControls } from '@berth/terminal';
import { bar } from './bar.ts';

/** The state of the display of a deploy. */
export interface DeployView {
  /** Start of the deploy, in milliseconds. */
  began: number;
  total: Amount;
  /** Start of sending. */
  sending: number | null;
  /** How many quarters of the sending were printed, if there is no bar. */
  quarters: number;
}

/** The display after an event. */
export interface DeployFrame {
  view: DeployView;
  /** Lines to print permanently. */
  lines: readonly string[];
  /** The status line, which changes in place; empty if nothing is in progress. */
  status: string;
}

/** Where the display is: `columns` of a screen, or `null` for a log, which gets only permanent lines. */
export interface DisplayTarget {
  /** The time of the event, in milliseconds. */
  at: number;
  columns: number | null;
}

/** Creates the initial display. @param at The time, in milliseconds. */
export function beginView(at: number): DeployView {
  return { began: at, total: { files: 0, bytes: 0 }, sending: null, quarters: 0 };
}

/** Computes the display after an event. Pure: the same events give the same lines. */
export function showEvent(view: DeployView, event: DeployEvent, { at, columns }: DisplayTarget): DeployFrame {
  const frame = (more: Partial<DeployFrame>): DeployFrame => ({ view, lines: [], status: '', ...more });
  const progress = (label: string, done: Amount, total: Amount, detail: string) =>
    columns === null ? '' : bar({ label, done: done.bytes, total: total.bytes, detail }, columns);
  switch (event.type) {
    case 'walked':
      return frame({ view: { ...view, total: event.total }, lines: describeSkipped(event.skipped) });
    case 'hashed':
      return frame({ status: progress('Reading', event.done, event.total, count(event.total.files, 'file')) });
    case 'planned':
      return frame({ view: { ...view, sending: at }, lines: [describePlan(event.changes, event.missing)] });
    case 'uploaded': {
      const detail = `${bytes(event.done.bytes)} of ${bytes(event.total.bytes)}${rate(event.sentBytes, at - (view.sending ?? at))}`;
      const quarters = event.total.bytes === 0 ? 4 : Math.floor((4 * event.done.bytes) / event.total.bytes);
      const skipLine = columns !== null || quarters <= view.quarters || quarters === 4;
      return frame({
        view: { ...view, quarters: Math.max(quarters, view.quarters) },
        lines: skipLine ? [] : [`Sent ${quarters * 25} %, ${detail}.`],
        status: progress('Sending', event.done, event.total, detail),
      });
    }
    case 'retried': {
      const reason = escapeControls(event.reason).replace(/\.$/, '');
      const when = event.waitMs < 100 ? 'now' : `in ${duration(event.waitMs / 1000)}`;
      const text = `${reason}. Trying again ${when}.`;
      return frame(columns === null ? { lines: [text] } : { status: text.slice(0, columns - 1) });
    }
    case 'committed': {
      const { files, size } = event.deployment;
      const time = duration(Math.max(at - view.began, 100) / 1000);
      return frame({ lines: [`Published ${count(files, 'file')}, ${bytes(size)}, in ${time}.`] });
    }
    case 'linked':
      return frame({ lines: event.domain.status === 'success' ? [`${event.domain.domain} points at it.`] : [] });
    default:
      return event satisfies never;
  }
}

/** Formats a plan in one line: the difference to the last deployment, and what must be sent. */
export function describePlan({ added, changed, removed, unchanged }: Changes, missing: Amount): string {
  const parts = [
    [added.length, 'new'],
    [changed.length, 'changed'],
    [removed.length, 'removed'],
    [unchanged, 'unchanged'],
  ] as const;
  const text = parts
    .filter(([number]) => number > 0)
    .map(([number, word]) => `${number.toLocaleString('en-US')} ${word}`);
  const sent = missing.files === 0 ? 'nothing to send' : `${bytes(missing.bytes)} to send`;
  return `${text.join(', ') || 'no files'}; ${sent}.`;
}

const REASONS: Record<SkipReason, string> = {
  junk: 'created by the system',
  private: 'private',
  ignored: 'listed in .berthignore',
  link: 'links',
  'not-a-file': 'not a file',
};
const SHOWN = 3;

/** Lists skipped files by reason, with the first few paths of each. Junk is not listed. */
export function describeSkipped(skipped: readonly SkippedFile[]): string[] {
  const reasons = (Object.keys(REASONS) as SkipReason[]).filter((reason) => reason !== 'junk');
  return reasons.flatMap((reason) => {
    const paths = skipped.filter((file) => file.reason === reason).map(({ path }) => path);
    if (paths.length === 0) return [];
    const more = paths.length > SHOWN ? ` and ${paths.length - SHOWN} more` : '';
    return [`Skipped, ${REASONS[reason]}: ${paths.slice(0, SHOWN).join(', ')}${more}.`];
  });
}

function rate(sentBytes: number, ms: number): string {
  return ms < 500 ? '' : `, ${bytes(Math.round((sentBytes * 1000) / ms))}/s`;
}
