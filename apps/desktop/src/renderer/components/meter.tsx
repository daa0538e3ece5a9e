import './meter.css';

const number = (amount: number) => amount.toLocaleString('en-US');

/** Shows how much of a cap is used; without a cap, only the amount. @param format Formats amounts. Default: as numbers. */
export function Meter({
  label,
  used,
  cap,
  format = number,
}: {
  label: string;
  used: number;
  cap: number | null;
  format?: (amount: number) => string;
}) {
  const isFull = cap !== null && used >= cap;
  const isNearlyFull = cap !== null && used >= cap * 0.9;
  const usedOfCap = cap === null ? format(used) : `${format(used)} of ${format(cap)}`;
  return (
    <div className="meter">
      <span className="small soft">{label}</span>
      <span className="meter-value">
        {usedOfCap}
        {isFull && cap > 0 && <span className="small meter-full"> · full</span>}
      </span>
      {cap !== null && cap > 0 && (
        <div
          className={`meter-bar${isFull ? ' is-full' : isNearlyFull ? ' is-nearly-full' : ''}`}
          role="meter"
          aria-label={label}
          aria-valuenow={used}
          aria-valuemin={0}
          aria-valuemax={cap}
          aria-valuetext={usedOfCap}
        >
          <div style={{ width: `${Math.min(100, (used / cap) * 100)}%` }} />
        </div>
      )}
    </div>
  );
}
