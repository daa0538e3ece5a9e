import type { Answer } from '@berth/ui/backend';
import { useSubmit } from '@berth/ui/state/requests';
import { useSession } from '../state/session.tsx';

const NOT_KEPT: Answer<never> = {
  ok: false,
  problem: {
    kind: 'refused',
    message: 'You signed in, but the browser did not keep the cookie.',
    next: 'Allow cookies for this site, and sign in again.',
    file: null,
  },
};

/** Holds the state of a way to sign in. `signIn` awaits an attempt, and then reads who is signed in. */
export function useSignIn() {
  const { reload } = useSession();
  const { isBusy, problem, submit } = useSubmit();
  const check = async (attempt: Promise<Answer<unknown>>): Promise<Answer<unknown>> => {
    const answer = await attempt;
    return answer.ok && (await reload()).is === 'signed-out' ? NOT_KEPT : answer;
  };
  return { isBusy, problem, signIn: (attempt: Promise<Answer<unknown>>) => submit(check(attempt)) };
}
