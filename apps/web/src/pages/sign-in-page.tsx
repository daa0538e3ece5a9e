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
import { CodeForm } from '../sign-in/code-form.tsx';
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
  const search = useSearch();
  const back = returnPath(search);
  const failure = new URLSearchParams(search).get('problem');
  useEffect(() => {
    if (session.is === 'signed-in') navigate(back, { replace: true });
  }, [session, back, navigate]);
  return (
    <div className="page-note">
      <h1>Sign in</h1>
      {failure !== null && <p role="alert">{FAILURES[failure] ?? 'The sign-in failed. Try again.'}</p>}
      {session.is === 'signed-out' ? <Ways offer={session.offer} back={back} /> : <SessionNote />}
    </div>
  );
}

/** What went wrong at the OpenID Connect provider, by the query parameter `problem`. */
const FAILURES: Readonly<Record<string, string>> = {
  'no-account': 'You have no account here. Ask the owner of an account for an invitation.',
  refused: 'The provider did not confirm who you are. Try again.',
  'too-many': 'Too many attempts. Try again in a few minutes.',
};

function Ways({ offer: { methods, refusal, signUp }, back }: { offer: SignInOffer; back: string }) {
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
        {methods.oidc !== null && (
          <a className="button plain" href={`/sign-in/oidc?back=${encodeURIComponent(back)}`}>
            Continue with {methods.oidc}
          </a>
        )}
        {(offersPasskey || methods.oidc !== null) && (methods.code || methods.password) && (
          <p className="divider">or</p>
        )}
        {methods.code && <CodeForm back={back} isBusy={isBusy} onSubmit={signIn} />}
        {methods.code && methods.password && <p className="divider">or</p>}
        {methods.password && <PasswordForm isBusy={isBusy} onSubmit={(attempt) => void signIn(attempt)} />}
        <ProblemBox problem={problem} />
      </div>
      <p className="soft small">
        {signUp && methods.code && 'No account yet? A code by e-mail opens one. '}
        No way to sign in? Ask the operator of this server for a link, which this command makes:{' '}
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
