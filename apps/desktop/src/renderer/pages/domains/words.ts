import type { DomainStatus } from '@berth/contract';
import type { Tone } from '../../words/folder.ts';

/** The text and tone for each domain status. */
export const STATUS_WORDS: Record<DomainStatus, { words: string; tone: Tone; text: string | null }> = {
  success: { words: 'Live', tone: 'good', text: null },
  pending: {
    words: 'Waiting for DNS',
    tone: 'warn',
    text: 'None of its records was found yet. Add them at your DNS provider.',
  },
  partial: {
    words: 'DNS incomplete',
    tone: 'warn',
    text: 'Some of its records were found. The others are still missing.',
  },
  paused: {
    words: 'Paused',
    tone: 'quiet',
    text: 'Your plan no longer covers this domain. It is live again as soon as the plan does.',
  },
};
