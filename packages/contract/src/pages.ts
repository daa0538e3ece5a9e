import { z } from 'zod';

/** The query of every list. Source: api §1. */
export const PageQuery = z.object({
  cursor: z
    .string()
    .min(1, 'cursor must be the nextCursor of an earlier page')
    .max(512, 'cursor must be the nextCursor of an earlier page')
    .describe('The `nextCursor` of the previous page. Default: the first page.')
    .optional(),
  limit: z
    .int('limit must be a whole number of at least 1')
    .min(1, 'limit must be a whole number of at least 1')
    .default(50)
    .transform((limit) => Math.min(limit, 100))
    .describe('The maximum number of entries. A value above 100 counts as 100.'),
});
export type PageQuery = z.output<typeof PageQuery>;

export const NextCursor = z.string().optional().describe('The `cursor` of the next page; absent on the last page.');
