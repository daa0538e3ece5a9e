import type { DomainStatus } from '@berth/contract';
import type { Tone } from '../../text/folder.ts';

/** The text and tone for each domain status. */
export const STATUS_TEXT: Record<DomainStatus, { label: string; tone: Tone; hint: string | null }> = {
  success: { label: 'Live', tone: 'good', hint: null },
  pending: {
    label: 'Waiting for DNS',
    tone: 'warn',
    hint: 'None of its records was found yet. Add them at your DNS provider.',
  },
  partial: {
    label: 'DNS incomplete',
    tone: 'warn',
    hint: 'Some of its records were found. The others are still missing.',
  },
  paused: {
    label: 'Paused',
    tone: 'quiet',
    hint: 'Your plan no longer covers this domain. It is live again as soon as the plan does.',
  },
};
