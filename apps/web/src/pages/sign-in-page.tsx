import '../sign-in/sign-in.css';
import { Button } from '@berth/ui/components/button';
import { ProblemBox, StatusLine } from '@berth/ui/components/status';
import { useSubmit } from '@berth/ui/state/requests';
import { Fingerprint } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { client } from '../backend.ts';
import { CodeForm, requestCode } from '../sign-in/code-form.tsx';
import { EmailForm } from '../sign-in/email-form.tsx';
import { hasPasskeys, signInWithPasskey } from '../sign-in/passkeys.ts';
import { answerOfProof } from '../sign-in/proof-answers.ts';
import { pendingCode, rememberCode } from '../sign-in/pending-code.ts';
import { refusalOf } from '../sign-in/refusal.ts';
import { rememberReturn, returnPath } from '../sign-in/return-path.ts';
import { useSignIn } from '../sign-in/use-sign-in.ts';
import { SessionNote } from '../shell/account-gate.tsx';
import { opensAccounts, type SignInOffer, useSession } from '../state/session.tsx';

/** Offers the ways to sign in that this server and this browser have, and returns to the page that the person came from. */
export default function SignInPage() {
  const { session } = useSession();
  const [, navigate] = useLocation();
  const search = useSearch();
  const [back] = useState(() => returnPath(search));
  useEffect(() => rememberReturn(back), [back]);
  useEffect(() => {
    if (session.is !== 'signed-in') return;
    rememberCode(null);
    navigate(back, { replace: true });
  }, [session, back, navigate]);
  return (
    <div className="page-note">
      <h1>Sign in</h1>
      {session.is === 'signed-out' ? <Ways offer={session.offer} back={back} /> : <SessionNote />}
    </div>
  );
}

function Ways({ offer, back }: { offer: SignInOffer; back: string }) {
  const [codeFor, showCodeFor] = useState(pendingCode);
  const setCodeFor = (email: string | null) => {
    rememberCode(email);
    showCodeFor(email);
  };
  const failure = new URLSearchParams(useSearch()).get('problem');
  const refusal = refusalOf(offer);
  if (refusal !== null) return <p role="alert">{refusal}</p>;
  if (codeFor !== null) return <EnterCode offer={offer} email={codeFor} back={back} onOther={() => setCodeFor(null)} />;
  const { methods } = offer;
  const offersPasskey = methods.passkey && hasPasskeys();
  const takesEmail = methods.code || methods.password;
  return (
    <>
      {failure !== null && (
        <div role="alert">
          <StatusLine tone="bad">{failureText(failure, methods.oidc ?? 'The provider')}</StatusLine>
        </div>
      )}
      <div className="ways">
        {offersPasskey && <UsePasskey />}
        {methods.oidc !== null && (
          <a className="button plain" href={`/sign-in/oidc?back=${encodeURIComponent(back)}`}>
            Continue with {methods.oidc}
          </a>
        )}
        {(offersPasskey || methods.oidc !== null) && takesEmail && <p className="divider">or</p>}
        {takesEmail && (
          <EmailForm hasCodes={methods.code} hasPasswords={methods.password} back={back} onCodeSent={setCodeFor} />
        )}
      </div>
      <OtherWays offer={offer} />
    </>
  );
}

/** Says what went wrong at the OpenID Connect provider. @param failure The query parameter `problem`. */
function failureText(failure: string, provider: string): string {
  switch (failure) {
    case 'no-account':
      return `${provider} signed you in, but you have no active account here. Ask the owner of an account for an invitation.`;
    case 'refused':
      return `${provider} did not sign you in. Try again.`;
    case 'too-many':
      return 'There were too many attempts. Try again in a few minutes.';
    case 'unavailable':
      return `${provider} cannot be reached. Try again in a moment, or sign in another way.`;
    default:
      return 'The sign-in failed. Try again.';
  }
}

function UsePasskey() {
  const { isBusy, problem, signIn } = useSignIn();
  return (
    <>
      <Button
        label="Sign in with a passkey"
        variant="primary"
        icon={Fingerprint}
        busy={isBusy}
        onClick={() => void signIn(signInWithPasskey())}
      />
      <ProblemBox problem={problem} />
    </>
  );
}

interface EnterCodeProps {
  offer: SignInOffer;
  email: string;
  back: string;
  onOther: () => void;
}

function EnterCode({ offer, email, back, onOther }: EnterCodeProps) {
  const { isBusy, problem, signIn } = useSignIn();
  const again = useSubmit();
  const [sent, setSent] = useState(1);
  const send = async () => {
    if (!(await again.submit(requestCode(email, back)))) return;
    rememberCode(email);
    setSent(sent + 1);
  };
  const sentTo = opensAccounts(offer)
    ? `A code was sent to ${email}.`
    : `If ${email} can sign in here, a code was sent.`;
  return (
    <CodeForm
      key={sent}
      label="Sign in"
      sentTo={sent === 1 ? sentTo : sentTo.replace('A code', 'Another code').replace('a code', 'another code')}
      request={{ isBusy, problem: again.problem ?? problem }}
      onCode={(code) => void signIn(answerOfProof(client.api.signIn.code.mutate({ code })))}
    >
      <Button label="Send another code" busy={again.isBusy} onClick={() => void send()} />
      <Button label="Sign in another way" variant="quiet" onClick={onOther} />
    </CodeForm>
  );
}

function OtherWays({ offer }: { offer: SignInOffer }) {
  const { oidc, code } = offer.methods;
  const openers = [code && 'a code', oidc].filter(Boolean).join(' or ');
  return (
    <p className="soft small">
      {opensAccounts(offer)
        ? `No account yet? Sign in with ${openers}, and one is opened for you. `
        : 'No account yet? Ask the operator of this server for one. '}
      Cannot sign in? The operator can make a link for you with this command: <code>npm run berth -- sign-in</code>.
    </p>
  );
}
