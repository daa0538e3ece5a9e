import '../sign-in/sign-in.css';
import { Button } from '@berth/ui/components/button';
import { Field } from '@berth/ui/components/field';
import { Form } from '@berth/ui/components/form';
import { ProblemBox } from '@berth/ui/components/status';
import type { Answer } from '@berth/ui/backend';
import { useSubmit } from '@berth/ui/state/requests';
import { Fingerprint } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { client } from '../backend.ts';
import { hasPasskeys, signInWithPasskey } from '../sign-in/passkeys.ts';
import { returnPath } from '../sign-in/return-path.ts';
import { SecretField } from '../sign-in/secret-field.tsx';
import { SessionNote } from '../shell/account-gate.tsx';
import { answerOfProof } from '../sign-in/proof-answers.ts';
import { type SignInOffer, useSession } from '../state/session.tsx';

/** Offers the ways to sign in that this server and this browser have, and returns to the page that the person came from. */
export default function SignInPage() {
  const { session } = useSession();
  const [, navigate] = useLocation();
  const back = returnPath(useSearch());
  useEffect(() => {
    if (session.is === 'signed-in') navigate(back, { replace: true });
  }, [session, back, navigate]);
  return (
    <div className="page-note">
      <h1>Sign in</h1>
      {session.is === 'signed-out' ? <Ways offer={session.offer} /> : <SessionNote />}
    </div>
  );
}

function Ways({ offer: { methods, refusal } }: { offer: SignInOffer }) {
  const { reload } = useSession();
  const { isBusy, problem, submit } = useSubmit();
  if (refusal !== null) return <p role="alert">{refusal}</p>;
  const signIn = async (attempt: Promise<Answer<unknown>>) => {
    if (await submit(attempt)) await reload();
  };
  const offersPasskey = methods.passkey && hasPasskeys();
  return (
    <>
      <div className="ways">
        {offersPasskey && (
          <Button
            label="Sign in with a passkey"
            variant="primary"
            icon={Fingerprint}
            busy={isBusy}
            onClick={() => void signIn(signInWithPasskey())}
          />
        )}
        {offersPasskey && methods.password && <p className="divider">or</p>}
        {methods.password && <PasswordForm isBusy={isBusy} onSubmit={(attempt) => void signIn(attempt)} />}
        <ProblemBox problem={problem} />
      </div>
      <p className="soft small">
        No passkey or password yet? Ask the operator of this server for a link, which this command makes:{' '}
        <code>npm run berth -- sign-in</code>.
      </p>
    </>
  );
}

interface PasswordFormProps {
  isBusy: boolean;
  onSubmit: (attempt: Promise<Answer<unknown>>) => void;
}

function PasswordForm({ isBusy, onSubmit }: PasswordFormProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const isReady = email.trim() !== '' && password !== '';
  return (
    <Form
      className="stack"
      isReady={isReady}
      onSubmit={() => onSubmit(answerOfProof(client.api.signIn.password.mutate({ email, password })))}
    >
      <Field label="E-mail address" type="email" autoComplete="username" value={email} onText={setEmail} />
      <SecretField label="Password" autoComplete="current-password" value={password} onText={setPassword} />
      <Button label="Sign in" type="submit" busy={isBusy} disabled={!isReady} />
    </Form>
  );
}
