import { z } from 'zod';
import { list } from './lists.ts';

/** The pattern of a label: groups of letters and digits, joined by single marks. Source: api §1. */
export const LABEL = /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/;

/** The maximum number of labels of a resource. */
export const MAX_LABELS = 10;

/** A label of a resource. */
export const Label = z
  .string()
  .min(3, 'a label must have at least 3 characters')
  .max(25, 'a label must have at most 25 characters')
  .regex(LABEL, 'a label must be lower-case letters and digits, in groups joined by single ".", "_" or "-"');

/** The maximum number of labels in a request, duplicates included. */
const MAX_SENT_LABELS = 100;

/** The labels of a resource. Duplicates are removed and the order is kept; at most {@link MAX_LABELS} may remain. */
export const Labels = list(Label)
  .max(MAX_SENT_LABELS, `a resource must have at most ${MAX_LABELS} labels`)
  .transform((labels) => [...new Set(labels)])
  .refine((labels) => labels.length <= MAX_LABELS, `a resource must have at most ${MAX_LABELS} labels`)
  .meta({ example: ['us-east-1'] });

/** The maximum number of labels that `GET /labels` lists. Source: api §6. */
export const MAX_LISTED_LABELS = 1_000;

/** The body of the response to `GET /labels`. Source: api §6. */
export const LabelList = z
  .object({
    labels: z.array(z.string()).describe('The labels in use, the most recently used first; at most 1,000.'),
  })
  .meta({ id: 'LabelList' });
