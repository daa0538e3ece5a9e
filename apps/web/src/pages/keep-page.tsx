import '../sign-in/sign-in.css';
import { Link, useSearch } from 'wouter';
import { returnPath } from '../sign-in/return-path.ts';
import { AddPasskey, SetPassword } from '../sign-in/ways-in.tsx';
import { AccountGate } from '../shell/account-gate.tsx';
import { useSession } from '../state/session.tsx';

/** Offers a way to sign in again, after a person signed in with a link. It leads on to the page that they came from. */
export default function KeepPage() {
  return (
    <AccountGate title="Set up sign-in" invitation="Sign in to add a passkey or a password.">
      <Keep />
    </AccountGate>
  );
}

function Keep() {
  const { session } = useSession();
  const back = returnPath(useSearch());
  if (session.is !== 'signed-in') return null;
  const { passkeys, hasPassword } = session.signedIn;
  const isDone = passkeys > 0 || hasPassword;
  return (
    <div className="page-note">
      <h1>Set up sign-in</h1>
      {isDone ? (
        <p role="status">You can now sign in with {passkeys > 0 ? 'your passkey' : 'your password'} at any time.</p>
      ) : (
        <p>The link works only once. Add a passkey or a password, so that you can sign in without another link.</p>
      )}
      {!isDone && (
        <div className="ways">
          <AddPasskey />
          <SetPassword />
        </div>
      )}
      <Link href={back} className={isDone ? 'button primary' : 'button plain'}>
        {isDone ? 'Continue' : 'Not now'}
      </Link>
    </div>
  );
}
