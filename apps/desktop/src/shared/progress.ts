import { z } from 'zod';

/** A number of files and their size. */
const Amount = z.object({ files: z.int().min(0), bytes: z.number().min(0) });

/** The files that a deployment skipped for one reason: their number and the first few paths. */
export const SkippedFileGroup = z.object({
  reason: z.enum(['private', 'ignored', 'link', 'not-a-file']),
  count: z.int().min(1),
  paths: z.array(z.string()).max(5),
});
export type SkippedFileGroup = z.infer<typeof SkippedFileGroup>;

/** The progress of a deploy, as a state instead of an event, so that a window that opens later can also show it. */
export const Progress = z.discriminatedUnion('phase', [
  /** The app lists the files of the folder. */
  z.object({ phase: z.literal('listing') }),
  /** The app reads the files. `cached` counts the unchanged files, which are not read again. */
  z.object({ phase: z.literal('reading'), done: Amount, total: Amount, cached: Amount }),
  /** The app asks the server which contents are missing. */
  z.object({ phase: z.literal('comparing'), total: Amount }),
  z.object({
    phase: z.literal('sending'),
    done: Amount,
    total: Amount,
    /** The speed over the last seconds; `null` until it is measured. */
    bytesPerSecond: z.number().min(0).nullable(),
  }),
  /** All contents are uploaded, and the server creates the deployment. */
  z.object({ phase: z.literal('finishing') }),
  /** The deployment is live, and the server links the domain. */
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
