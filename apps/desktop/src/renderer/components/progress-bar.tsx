import './progress-bar.css';

/** Progress bar. @param part 0 to 1; `null` while it is unknown. */
export function ProgressBar({ part, label }: { part: number | null; label: string }) {
  const percent = part === null ? undefined : Math.round(part * 100);
  return (
    <div
      className={part === null ? 'progress is-open' : 'progress'}
      role="progressbar"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <div style={part === null ? undefined : { transform: `scaleX(${part})` }} />
    </div>
  );
}
