import { bytes } from '@berth/client/amounts';
import { useAccount } from '../state/account.ts';
import { Meter } from './meter.tsx';

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
        <Meter key={key} label={LABELS[key]} used={usage[key]} cap={caps?.[key] ?? null} />
      ))}
      {usage.storage !== undefined && (
        <Meter label="Storage" used={usage.storage} cap={caps?.storage ?? null} format={bytes} />
      )}
    </section>
  );
}
