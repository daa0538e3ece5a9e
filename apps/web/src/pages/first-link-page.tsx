import '../sign-in/sign-in.css';
import { Button } from '@berth/ui/components/button';
import { ProblemBox } from '@berth/ui/components/status';
import { useAnswer } from '@berth/ui/state/requests';
import { Link, useLocation } from 'wouter';
import { refusalOf } from '../sign-in/refusal.ts';
import { pathBackTo, takeReturn } from '../sign-in/return-path.ts';
import { client } from '../backend.ts';
import { dropLinkSecret, linkSecret } from '../sign-in/link-secret.ts';
import { SessionNote } from '../shell/account-gate.tsx';
import { answerOf } from '../account/answers.ts';
import { useSignIn } from '../sign-in/use-sign-in.ts';
import { useSession } from '../state/session.tsx';

/** Signs in with a one-time link, after one click: opening the link alone signs no one in. */
export default function FirstLinkPage() {
  const secret = linkSecret();
  const { session } = useSession();
  const isOffered = session.is === 'signed-in' || session.is === 'signed-out';
  const refusal = isOffered ? refusalOf(session.offer) : null;
  return (
    <div className="page-note">
      <h1>Sign in to Berth</h1>
      {secret === null && <SpentLink />}
      {secret !== null && !isOffered && <SessionNote />}
      {secret !== null && refusal !== null && <p role="alert">{refusal}</p>}
      {secret !== null && isOffered && refusal === null && <UseLink secret={secret} />}
    </div>
  );
}

function UseLink({ secret }: { secret: string }) {
  const [, navigate] = useLocation();
  const target = useAnswer(() => answerOf(client.api.signIn.readLink.mutate({ secret })), [secret]);
  const { isBusy, problem, signIn } = useSignIn();
  if (target.problem)
    return target.problem.kind === 'refused' ? (
      <SpentLink />
    ) : (
      <ProblemBox problem={target.problem} onRetry={target.read} />
    );
  if (target.value === null) return null;
  const { email } = target.value;
  const useLink = async () => {
    if (!(await signIn(answerOf(client.api.signIn.useLink.mutate({ secret }))))) return;
    dropLinkSecret();
    navigate(pathBackTo('/app/keep', takeReturn()), { replace: true });
  };
  return (
    <div className="stack">
      <p>
        This link signs you in on <strong>{location.host}</strong> in this browser. It works once.
      </p>
      <Button label={`Sign in as ${email}`} variant="primary" busy={isBusy} onClick={() => void useLink()} />
      <ProblemBox problem={problem} />
    </div>
  );
}

function SpentLink() {
  const { session } = useSession();
  if (session.is === 'signed-in')
    return (
      <>
        <p>This link was used or has expired. You are signed in as {session.email} already.</p>
        <Link href="/" className="button primary">
          Continue
        </Link>
      </>
    );
  return (
    <>
      <p>This link was used or has expired. To get another one, run this command in the folder of the server:</p>
      <pre>
        <code>npm run berth -- sign-in</code>
      </pre>
    </>
  );
}
