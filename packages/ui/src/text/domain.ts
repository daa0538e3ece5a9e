import type { DomainStatus } from '@berth/contract';
import type { Tone } from '../components/status.tsx';

type StatusText = [tone: Tone, label: string, hint?: string];

const STATUS_TEXTS: Record<DomainStatus, StatusText> = {
  success: ['good', 'Live'],
  pending: ['warn', 'Waiting for DNS', 'No DNS record was found yet. Add the records at your DNS provider.'],
  partial: ['warn', 'DNS incomplete', 'Some DNS records were found, but others are still missing.'],
  paused: ['quiet', 'Paused', 'Your plan does not cover this domain. It is offline until your plan covers it.'],
};

/** Describes the status of a domain. A status that a newer server has added is shown by its name. */
export function domainStatusText(status: string): StatusText {
  return (STATUS_TEXTS as Partial<Record<string, StatusText>>)[status] ?? ['quiet', status];
}
