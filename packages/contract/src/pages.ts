import { z } from 'zod';

/** The page size if `limit` is absent, and the maximum page size. Source: api §1. */
export const DEFAULT_PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 100;

/** The query of every list. A `limit` above the maximum counts as the maximum. Source: api §1. */
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
    .default(DEFAULT_PAGE_SIZE)
    .transform((limit) => Math.min(limit, MAX_PAGE_SIZE))
    .describe('The maximum number of entries. A value above 100 counts as 100.'),
});
export type PageQuery = z.output<typeof PageQuery>;

/** Present if there are more pages. */
export const NextCursor = z
  .string()
  .optional()
  .describe('Pass it as `cursor` to get the next page; absent on the last page.');
