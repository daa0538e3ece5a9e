import type { DomainStatus } from '@berth/contract';
import type { Tone } from '../../words/folder.ts';

/** The text and tone for each domain status. */
export const STATUS_WORDS: Record<DomainStatus, { words: string; tone: Tone; text: string | null }> = {
  success: { words: 'Serves', tone: 'good', text: null },
  pending: {
    words: 'Waits for DNS',
    tone: 'warn',
    text: 'None of its records has been seen yet. Set them where the domain’s DNS is kept.',
  },
  partial: {
    words: 'DNS incomplete',
    tone: 'warn',
    text: 'Some of its records have been seen. The others are still missing.',
  },
  paused: {
    words: 'Paused',
    tone: 'quiet',
    text: 'The plan no longer covers it. It serves again as soon as the plan does.',
  },
};
