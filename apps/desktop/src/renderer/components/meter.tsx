import './meter.css';
import { bytes } from '@berth/client/amounts';
import { useAccount } from '../state/account.ts';

const LABELS = {
  deployments: 'Deployments',
  platformDomains: 'Platform domains',
  customDomains: 'Custom domains',
} as const;

/** The account's usage, compared with the caps of its plan. */
export function Usage() {
  const { server } = useAccount();
  if (server.signIn.is !== 'signed-in') return null;
  const { usage, caps } = server.signIn.account;
  return (
    <section className="usage" aria-label="Usage">
      {(Object.keys(LABELS) as (keyof typeof LABELS)[]).map((key) => (
        <Meter key={key} label={LABELS[key]} used={usage[key]} cap={caps?.[key]} />
      ))}
      {usage.storage !== undefined && <Meter label="Storage" used={usage.storage} cap={caps?.storage} format={bytes} />}
    </section>
  );
}

interface MeterProps {
  label: string;
  used: number;
  /** Default: no cap. */
  cap: number | undefined;
  format?: (amount: number) => string;
}

/** Shows how much of a cap is used; without a cap, only the amount. */
function Meter({ label, used, cap = Infinity, format = (amount) => amount.toLocaleString('en-US') }: MeterProps) {
  const isFull = used >= cap;
  const fill = isFull ? ' is-full' : used >= cap * 0.9 ? ' is-nearly-full' : '';
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
          className={`meter-bar${fill}`}
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

/** Progress bar. @param part 0 to 1; `null` while it is unknown. */
export function ProgressBar({ part, label }: { part: number | null; label: string }) {
  return (
    <div
      className={part === null ? 'progress is-open' : 'progress'}
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
