import type { Answer, Problem } from '@berth/ui/backend';
import { ClientError } from '@berth/client/browser';
import { describeProblem, type ProblemAdvice } from '@berth/client/problem';

const ADVICE: ProblemAdvice = {
  network: 'Check your connection.',
  refusedCredential: 'You are not signed in.',
  signIn: 'Sign in.',
  signInAgain: 'Sign in again.',
  notAllowed: null,
  exclude: (what) => `leave out ${what}`,
};

/** Describes anything thrown as a problem for the person at the page. Anything but an error of the client is a bug of the page. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof ClientError) return describeProblem(thrown, ADVICE);
  return {
    kind: 'unexpected',
    message: 'Something went wrong on this page.',
    next: 'Try again. If it happens again, reload the page.',
    file: null,
  };
}

/** Returns the result of a request as a value. Never rejects. */
export async function answerOf<T>(request: Promise<T>): Promise<Answer<T>> {
  try {
    return { ok: true, value: await request };
  } catch (thrown) {
    return { ok: false, problem: problemOf(thrown) };
  }
}
