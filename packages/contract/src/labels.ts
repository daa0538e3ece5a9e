import { z } from 'zod';

/** One label. Source: contract §1. */
export const LABEL = /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/;

/** How many labels a resource may carry. Source: contract §1. */
export const MAX_LABELS = 10;

const Label = z
  .string()
  .min(3, 'a label has at least 3 characters')
  .max(25, 'a label has at most 25 characters')
  .regex(LABEL, 'a label is lower-case letters and digits, in groups joined by single ".", "_" or "-"');

/**
 * The labels of a resource: duplicates are folded, order is kept, at most {@link MAX_LABELS} remain.
 *
 * Source: contract §1.
 */
export const Labels = z
  .array(Label)
  .max(100, `a resource carries at most ${MAX_LABELS} labels`)
  .transform((labels) => [...new Set(labels)])
  .refine((labels) => labels.length <= MAX_LABELS, `a resource carries at most ${MAX_LABELS} labels`)
  .meta({ example: ['us-east-1'] });

/** The most labels that `GET /labels` lists. Source: contract §6. */
export const MAX_LISTED_LABELS = 1_000;

/** `GET /labels`. Source: contract §6. */
export const LabelList = z.object({
  labels: z.array(z.string()).describe('Distinct, the most recently used first, at most 1,000.'),
});
