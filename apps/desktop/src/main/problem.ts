import { ClientError } from '@berth/client';
import { asSentence, describeProblem, type ProblemAdvice } from '@berth/client/problem';
import { z } from 'zod';
import type { Problem } from '../shared/problem.ts';

const ADVICE: ProblemAdvice = {
  network: 'Check your connection and the server address under Settings.',
  refusedCredential: 'Your key is not valid.',
  signIn: 'Sign in under Settings.',
  signInAgain: 'Sign in again under Settings.',
  notAllowed: 'Sign in with an API key: your current key does not allow this.',
  exclude: (what) => `exclude ${what} in a .berthignore file`,
};

/**
 * Converts a thrown value to a problem for the user: what went wrong, in which file, and what to do. Errors of the client keep
 * their kind. Input that does not match its schema is `refused`. All other errors are bugs in the app: they become `unexpected` and
 * reveal no internal details.
 *
 * Source: desktop §6, §8.
 */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof ProblemError) return thrown.problem;
  if (thrown instanceof ClientError) return describeProblem(thrown, ADVICE);
  if (thrown instanceof z.ZodError) return { kind: 'refused', message: issueOf(thrown), next: null, file: null };
  if (thrown instanceof Error && thrown.name === 'AbortError') return problemOf(abortedError());
  return {
    kind: 'unexpected',
    message: 'Something went wrong in the app.',
    next: 'Try again. If it happens again, restart the app.',
    file: null,
  };
}

/** An error that another thread has already described. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** Replaces any error of `work` by a `refused` error with a message for the user. The original error becomes the `cause`. */
export async function orRefuse<T>(work: Promise<T>, message: string): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw new ClientError('refused', message, { cause });
  }
}

/** The error of work that was stopped because the user cancelled it or quit the app. */
export function abortedError(): ClientError {
  return new ClientError('aborted', 'The work was cancelled before it finished.');
}

function issueOf({ issues }: z.ZodError): string {
  const [issue] = issues;
  if (!issue) return 'The input is invalid.';
  return asSentence([issue.path.map(String).join('.'), issue.message].filter(Boolean).join(': '));
}
