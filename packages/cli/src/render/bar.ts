/** The progress of something. */
export interface Progress {
  label: string;
  done: number;
  total: number;
  /** Text after the bar; omitted if there is no room for it. */
  detail: string;
}

const LABEL_COLUMNS = 10;
const MAX_BAR_COLUMNS = 30;
const MIN_BAR_COLUMNS = 8;

/**
 * Renders a progress bar that fits on one line: `Sending ████████░░░░░░ 57 % 3.1 of 5.4 MB`. @param width The number of
 * columns.
 */
export function bar({ label, done, total, detail }: Progress, width: number): string {
  const share = total === 0 ? 1 : Math.min(done / total, 1);
  const head = label.padEnd(LABEL_COLUMNS);
  const percent = `${String(Math.floor(share * 100)).padStart(3)} %`;
  const room = width - 1 - head.length - 2 - percent.length;
  const withDetail = room - detail.length - 2 >= MIN_BAR_COLUMNS;
  const cells = Math.min(MAX_BAR_COLUMNS, withDetail ? room - detail.length - 2 : room);
  if (cells < MIN_BAR_COLUMNS) return `${label} ${percent.trim()}`.slice(0, Math.max(width - 1, 0));
  const filled = Math.round(share * cells);
  return `${head} ${'█'.repeat(filled)}${'░'.repeat(cells - filled)} ${percent}${withDetail ? `  ${detail}` : ''}`;
}
