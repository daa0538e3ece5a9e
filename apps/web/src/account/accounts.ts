import type { SessionAccount } from '@berth/contract';
import { useNotes } from '@berth/ui/state/toasts';
import { client } from '../backend.ts';
import { useSession } from '../state/session.tsx';
import { answerOf } from './answers.ts';

/** The name by which a person recognises one of their accounts. */
export function accountName({ name, email }: Pick<SessionAccount, 'name' | 'email'>): string {
  return name ?? email;
}

/** The accounts of the person who is signed in, and the one that the console shows. Chooses another one. Source: api §13. */
export function useAccounts() {
  const { session, reload } = useSession();
  const { ask } = useNotes();
  const signedIn = session.is === 'signed-in' || session.is === 'inactive' ? session.signedIn : null;
  /** Shows another account in all tabs. @returns Whether it is shown. */
  const choose = async (account: string): Promise<boolean> => {
    if (account === signedIn?.account) return true;
    if ((await ask(answerOf(client.api.session.choose.mutate({ account })))) === null) return false;
    await reload();
    return true;
  };
  return { accounts: signedIn?.accounts ?? [], account: signedIn?.account ?? '', choose };
}
