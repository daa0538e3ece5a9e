import { z } from 'zod';

/** A number of files and their size. */
export const Amount = z.object({ files: z.int().min(0), bytes: z.number().min(0) });
export type Amount = z.infer<typeof Amount>;

/** Files that a deployment skipped for one reason: how many, and the first few paths. */
export const LeftOut = z.object({
  reason: z.enum(['private', 'ignored', 'link', 'not-a-file']),
  count: z.int().min(1),
  paths: z.array(z.string()).max(5),
});
export type LeftOut = z.infer<typeof LeftOut>;

/** The progress of a deploy. It is a state rather than an event, so that a window that opens later can show it too. */
export const Progress = z.discriminatedUnion('phase', [
  /** Lists the folder. */
  z.object({ phase: z.literal('listing') }),
  /** Reads the files. `cached` counts those that were unchanged and did not have to be read. */
  z.object({ phase: z.literal('reading'), done: Amount, total: Amount, cached: Amount }),
  /** Asks the server which contents are missing. */
  z.object({ phase: z.literal('comparing'), total: Amount }),
  z.object({
    phase: z.literal('sending'),
    done: Amount,
    total: Amount,
    /** Measured over the last seconds; `null` until there is a measurement. */
    bytesPerSecond: z.number().min(0).nullable(),
  }),
  /** All contents are uploaded; the server assembles the deployment. */
  z.object({ phase: z.literal('finishing') }),
  /** The deployment is live; the domain is being pointed at it. */
  z.object({ phase: z.literal('linking') }),
  /** An attempt failed and will be retried. */
  z.object({
    phase: z.literal('retrying'),
    attempt: z.int().min(1),
    /** The time of the retry, in Unix milliseconds. */
    at: z.number(),
    reason: z.string(),
  }),
]);
export type Progress = z.infer<typeof Progress>;
