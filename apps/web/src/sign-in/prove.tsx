import type { Answer } from '@berth/ui/backend';
import { createContext, lazy, type ReactNode, Suspense, useCallback, useContext, useRef, useState } from 'react';
import { answerOf } from '../account/answers.ts';
import { needsProof } from './proof-answers.ts';

type AskForProof = () => Promise<boolean>;

/** Most visits need no proof. */
const ProveDialog = lazy(() => import('./prove-dialog.tsx'));

const ProveContext = createContext<AskForProof | null>(null);

/**
 * Returns a function that runs a call of the server. If the person must first prove who they are, a dialog asks for it, and the
 * call is repeated. Source: api §13; security T46.
 */
export function useProven(): <T>(call: () => Promise<T>) => Promise<Answer<T>> {
  const ask = useContext(ProveContext)!;
  return useCallback(
    async (call) => {
      const first = call();
      const isAsked = await first.then(
        () => false,
        (error: unknown) => needsProof(error),
      );
      return answerOf(isAsked && (await ask()) ? call() : first);
    },
    [ask],
  );
}

/** Shows the dialog of {@link useProven}. */
export function ProveProvider({ children }: { children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const settle = useRef<(isProven: boolean) => void>(() => {});
  const ask = useCallback<AskForProof>(() => {
    setOpen(true);
    return new Promise((resolve) => {
      settle.current = resolve;
    });
  }, []);
  const close = (isProven: boolean) => {
    setOpen(false);
    settle.current(isProven);
  };
  return (
    <ProveContext value={ask}>
      {children}
      {isOpen && (
        <Suspense>
          <ProveDialog onClose={close} />
        </Suspense>
      )}
    </ProveContext>
  );
}
