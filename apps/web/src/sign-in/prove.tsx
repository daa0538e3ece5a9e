import { Button } from '@berth/ui/components/button';
import { Dialog } from '@berth/ui/components/dialog';
import { Form } from '@berth/ui/components/form';
import { ProblemBox } from '@berth/ui/components/status';
import { useSubmit } from '@berth/ui/state/requests';
import type { Answer } from '@berth/ui/backend';
import { Fingerprint } from 'lucide-react';
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react';
import { client } from '../backend.ts';
import { answerOf } from '../account/answers.ts';
import { answerOfProof, needsProof } from './proof-answers.ts';
import { useSession } from '../state/session.tsx';
import { hasPasskeys, proveWithPasskey } from './passkeys.ts';
import { SecretField } from './secret-field.tsx';

type AskForProof = () => Promise<boolean>;

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
      {isOpen && <ProveDialog onClose={close} />}
    </ProveContext>
  );
}

function ProveDialog({ onClose }: { onClose: (isProven: boolean) => void }) {
  const { session } = useSession();
  const { isBusy, problem, submit } = useSubmit();
  const [password, setPassword] = useState('');
  if (session.is !== 'signed-in') return null;
  const { passkeys, hasPassword } = session.signedIn;
  const canUsePasskey = passkeys > 0 && hasPasskeys();
  const prove = async (proof: Promise<Answer<unknown>>) => {
    if (await submit(proof)) onClose(true);
  };
  return (
    <Dialog title="Prove that it is you" onClose={() => onClose(false)}>
      <div className="dialog-body">
        <p className="soft">
          {canUsePasskey || hasPassword
            ? 'This change needs a recent proof. It counts for 10 minutes.'
            : 'This change needs a recent sign-in, and you have no passkey or password yet. Sign out, sign in again with a new link, and add one.'}
        </p>
        {canUsePasskey && (
          <Button
            label="Use a passkey"
            variant="primary"
            icon={Fingerprint}
            busy={isBusy}
            onClick={() => void prove(proveWithPasskey())}
          />
        )}
        {hasPassword && (
          <Form
            className="stack"
            isReady={password !== ''}
            onSubmit={() => void prove(answerOfProof(client.api.session.prove.mutate({ password })))}
          >
            <SecretField label="Password" autoComplete="current-password" value={password} onText={setPassword} />
            <div className="dialog-foot">
              <Button label="Continue" type="submit" variant="primary" busy={isBusy} disabled={password === ''} />
            </div>
          </Form>
        )}
        <ProblemBox problem={problem} />
      </div>
    </Dialog>
  );
}
