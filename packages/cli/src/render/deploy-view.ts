import type { Amount, Changes, DeployEvent, SkippedFile, SkipReason } from '@berth/client';
import { bytes, count, duration } from '@berth/client/amounts';
import { escapeControls } from '@berth/terminal';

export interface DeployView {
  /** When the deploy began, in milliseconds. */
  began: number;
  /** When sending began, in milliseconds; `null` before. */
  sending: number | null;
  /** How many quarters of the upload a log has reported. */
  quarters: number;
}

/** The display after an event. */
export interface Frame<View> {
  view: View;
  /** The lines to print permanently. */
  lines: readonly string[];
  /** The status line, which changes in place; empty if nothing is in progress. */
  status: string;
}

/** The time and the screen for which the display is rendered. */
export interface DisplayTarget {
  /** The time of the event, in milliseconds. */
  at: number;
  /** The columns of the screen; `null` for a log, which gets only permanent lines. */
  columns: number | null;
}

/** Creates the display of a deploy that begins now. @param at The time, in milliseconds. */
export function beginView(at: number): DeployView {
  return { began: at, sending: null, quarters: 0 };
}

/** Computes the display after an event of a deploy. The function is pure: the same events give the same lines. */
export function showEvent(view: DeployView, event: DeployEvent, target: DisplayTarget): Frame<DeployView> {
  const { at, columns } = target;
  const frame = (more: Partial<Frame<DeployView>>): Frame<DeployView> => ({ view, lines: [], status: '', ...more });
  const progress = (label: string, done: Amount, total: Amount, detail: string) =>
    columns === null ? '' : bar(label, done, total, detail, columns);
  switch (event.type) {
    case 'walked':
      return frame({ lines: describeSkipped(event.skipped) });
    case 'hashed':
      return frame({ status: progress('Reading', event.done, event.total, count(event.total.files, 'file')) });
    case 'planned': {
      const lines = event.via === 'archive' ? [] : [describePlan(event.changes, event.missing)];
      return frame({ view: { ...view, sending: at }, lines });
    }
    case 'uploaded': {
      if (event.done.bytes > event.total.bytes) return frame({ status: sentText(event.sentBytes, view, target) });
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
      const retryTime = event.waitMs < 100 ? 'now' : `in ${duration(event.waitMs / 1000)}`;
      const text = `${reason}. Trying again ${retryTime}.`;
      return frame(columns === null ? { lines: [text] } : { status: text.slice(0, columns - 1) });
    }
    case 'committed': {
      const { files, size } = event.deployment;
      const elapsedTime = duration(Math.max(at - view.began, 100) / 1000);
      return frame({ lines: [`Published ${count(files, 'file')}, ${bytes(size)}, in ${elapsedTime}.`] });
    }
    case 'linked':
      return frame({
        lines: event.domain.status === 'success' ? [`${event.domain.domain} points at the deployment.`] : [],
      });
    default:
      return event satisfies never;
  }
}

/**
 * Formats a plan in one line: how the folder differs from the last deployment, and how much must be sent.
 *
 * @param precision `at most` for a plan that was made without asking the server which contents it has.
 */
export function describePlan(
  { added, changed, removed, unchanged }: Changes,
  missing: Amount,
  precision: 'exactly' | 'at most' = 'exactly',
): string {
  const parts = [
    [added.length, 'new'],
    [changed.length, 'changed'],
    [removed.length, 'removed'],
    [unchanged, 'unchanged'],
  ] as const;
  const text = parts
    .filter(([number]) => number > 0)
    .map(([number, word]) => `${number.toLocaleString('en-US')} ${word}`);
  const sendingText =
    missing.files === 0
      ? 'nothing to send'
      : `${precision === 'at most' ? 'at most ' : ''}${bytes(missing.bytes)} to send`;
  return `${text.join(', ') || 'no files'}; ${sendingText}.`;
}

const REASONS: Record<Exclude<SkipReason, 'junk'>, string> = {
  private: 'private',
  ignored: 'ignored',
  link: 'links',
  'not-a-file': 'not a file',
};
const MAX_SHOWN_PATHS = 3;

/** Lists the first few skipped paths of each reason. Junk is not listed. */
export function describeSkipped(skipped: readonly SkippedFile[]): string[] {
  return Object.entries(REASONS).flatMap(([reason, text]) => {
    const paths = skipped.filter((file) => file.reason === reason).map(({ path }) => path);
    if (paths.length === 0) return [];
    const moreText = paths.length > MAX_SHOWN_PATHS ? ` and ${paths.length - MAX_SHOWN_PATHS} more` : '';
    return [`Skipped, ${text}: ${paths.slice(0, MAX_SHOWN_PATHS).join(', ')}${moreText}.`];
  });
}

/** Formats the progress of a stream whose size is unknown. */
function sentText(sentBytes: number, { sending }: DeployView, { at, columns }: DisplayTarget): string {
  if (columns === null) return '';
  return `Sending    ${bytes(sentBytes)}${rate(sentBytes, at - (sending ?? at))}`.slice(0, Math.max(columns - 1, 0));
}

function rate(sentBytes: number, ms: number): string {
  return ms < 500 ? '' : `, ${bytes(Math.round((sentBytes * 1000) / ms))}/s`;
}

const LABEL_COLUMNS = 10;
const MAX_BAR_COLUMNS = 30;
const MIN_BAR_COLUMNS = 8;

/**
 * Renders a progress bar that fits on one line: `Sending    ████████░░░░░░  57 %  3.1 of 5.4 MB`. It omits the detail if there
 * is no room.
 */
export function bar(label: string, done: Amount, total: Amount, detail: string, columns: number): string {
  const doneShare = total.bytes === 0 ? 1 : Math.min(done.bytes / total.bytes, 1);
  const head = label.padEnd(LABEL_COLUMNS);
  const percent = `${String(Math.floor(doneShare * 100)).padStart(3)} %`;
  const roomForBar = columns - 1 - head.length - 2 - percent.length;
  const withDetail = roomForBar - detail.length - 2 >= MIN_BAR_COLUMNS;
  const cells = Math.min(MAX_BAR_COLUMNS, withDetail ? roomForBar - detail.length - 2 : roomForBar);
  if (cells < MIN_BAR_COLUMNS) return `${label} ${percent.trim()}`.slice(0, Math.max(columns - 1, 0));
  const filledCells = Math.round(doneShare * cells);
  return `${head} ${'█'.repeat(filledCells)}${'░'.repeat(cells - filledCells)} ${percent}${withDetail ? `  ${detail}` : ''}`;
}
