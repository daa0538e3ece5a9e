import { z } from 'zod';

/** What kind of trouble it is: those of the client, and `unexpected` for a fault of the app itself. */
export const PROBLEM_KINDS = [
  'network',
  'unavailable',
  'signed-out',
  'refused',
  'folder',
  'server',
  'aborted',
  'unexpected',
] as const;

/** Trouble, as people are told of it. */
export const Problem = z.object({
  kind: z.enum(PROBLEM_KINDS),
  /** What was wrong: a sentence. */
  message: z.string(),
  /** What to do about it: a sentence; `null` when nothing can be done but to try again. */
  next: z.string().nullable(),
  /** The path, in the folder, of the file at fault. */
  file: z.string().nullable(),
});
export type Problem = z.infer<typeof Problem>;
