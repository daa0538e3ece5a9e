import { z } from 'zod';

/** How much of something. */
export const Amount = z.object({ files: z.int().min(0), bytes: z.number().min(0) });
export type Amount = z.infer<typeof Amount>;

/** What was left out of what is published: how often for each reason, and the first few paths. */
export const LeftOut = z.object({
  reason: z.enum(['private', 'ignored', 'link', 'not-a-file']),
  count: z.int().min(1),
  paths: z.array(z.string()).max(5),
});
export type LeftOut = z.infer<typeof LeftOut>;

/** How far a deploy is. It is the state that the client's events lead to, so that a window that opens late sees it too. */
export const Progress = z.discriminatedUnion('phase', [
  /** The folder is listed. */
  z.object({ phase: z.literal('listing') }),
  /** Its files are read; `cached` of them were known and needed no reading. */
  z.object({ phase: z.literal('reading'), done: Amount, total: Amount, cached: Amount }),
  /** The server says what it lacks. */
  z.object({ phase: z.literal('comparing'), total: Amount }),
  z.object({
    phase: z.literal('sending'),
    done: Amount,
    total: Amount,
    /** Of the last seconds; `null` before there is anything to say. */
    bytesPerSecond: z.number().min(0).nullable(),
  }),
  /** Everything is there: the server puts it together. */
  z.object({ phase: z.literal('finishing') }),
  /** It is live; its domain is switched. */
  z.object({ phase: z.literal('linking') }),
  /** Something went wrong, and is tried again. */
  z.object({
    phase: z.literal('retrying'),
    attempt: z.int().min(1),
    /** When it is tried again, in Unix milliseconds. */
    at: z.number(),
    reason: z.string(),
  }),
]);
export type Progress = z.infer<typeof Progress>;
