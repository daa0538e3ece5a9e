import { z } from 'zod';

/** The kinds of problems: the kinds of client errors, and `unexpected` for a bug in the app itself. */
const PROBLEM_KINDS = [
  'network',
  'unavailable',
  'signed-out',
  'refused',
  'folder',
  'server',
  'aborted',
  'unexpected',
] as const;

/** A problem that is described to the user. */
export const Problem = z.object({
  kind: z.enum(PROBLEM_KINDS),
  /** A sentence that says what went wrong. */
  message: z.string(),
  /** A sentence that says what to do next; `null` if the user can only try again. */
  next: z.string().nullable(),
  /** The file that caused the problem, as a path in the folder; `null` if no single file did. */
  file: z.string().nullable(),
});
export type Problem = z.infer<typeof Problem>;
