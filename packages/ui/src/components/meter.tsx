import './meter.css';
import { bytes } from '@berth/client/amounts';
import { useState } from 'react';
import { useAccount } from '../state/account.ts';

const METERS = [
  ['deployments', 'Deployments'],
  ['platformDomains', 'Platform domains'],
  ['customDomains', 'Custom domains'],
] as const;

export function Usage() {
  const { limits } = useAccount();
  if (limits === null) return null;
  const { usage, caps } = limits;
  return (
    <section className="usage" aria-label="Usage">
      {METERS.map(([key, label]) => (
        <Meter key={key} label={label} used={usage[key]} cap={caps?.[key]} />
      ))}
      {usage.storage !== undefined && <Meter label="Storage" used={usage.storage} cap={caps?.storage} format={bytes} />}
    </section>
  );
}

interface MeterProps {
  label: string;
  used: number;
  cap: number | undefined;
  format?: (amount: number) => string;
}

function Meter({ label, used, cap = Infinity, format = (amount) => amount.toLocaleString('en-US') }: MeterProps) {
  const isFull = used >= cap;
  const fillClass = isFull ? ' is-full' : used >= cap * 0.9 ? ' is-nearly-full' : '';
  const usedOfCap = cap === Infinity ? format(used) : `${format(used)} of ${format(cap)}`;
  return (
    <div className="meter">
      <span className="small soft">{label}</span>
      <span className="meter-value">
        {usedOfCap}
        {isFull && cap > 0 && <span className="small meter-full"> · full</span>}
      </span>
      {cap > 0 && cap < Infinity && (
        <div
          className={`meter-bar${fillClass}`}
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

interface ProgressBarProps {
  label: string;
  /** The filled part, from 0 to 1; `null` while it is unknown. */
  part: number | null;
  /** True while the work waits. The bar then keeps its last part and does not move. */
  isWaiting?: boolean | undefined;
}

export function ProgressBar({ label, part: knownPart, isWaiting = false }: ProgressBarProps) {
  const [lastPart, setLastPart] = useState(knownPart);
  if (!isWaiting && knownPart !== lastPart) setLastPart(knownPart);
  const part = isWaiting ? (lastPart ?? 0) : knownPart;
  return (
    <div
      className={`progress${part === null ? ' is-open' : ''}${isWaiting ? ' is-waiting' : ''}`}
      role="progressbar"
      aria-label={label}
      aria-valuenow={part === null ? undefined : Math.round(part * 100)}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <div style={part === null ? undefined : { transform: `scaleX(${part})` }} />
    </div>
  );
}
