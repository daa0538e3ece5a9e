import { Button } from '@berth/ui/components/button';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { signInPath } from '../sign-in/return-path.ts';
import { useSession } from '../state/session.tsx';

interface AccountGateProps {
  title: string;
  /** What a person who is not signed in can do here, such as `Sign in to see your sites.` */
  invitation: string;
  children?: ReactNode;
}

/** Shows a page of an account to people who are signed in, and the way to sign in to others. */
export function AccountGate({ title, invitation, children }: AccountGateProps) {
  const { session } = useSession();
  if (session.is === 'signed-in') return children;
  return (
    <div className="page-note">
      <h1>{title}</h1>
      {session.is === 'signed-out' ? (
        <>
          <p>{invitation}</p>
          <SignInLink />
        </>
      ) : (
        <SessionNote />
      )}
    </div>
  );
}

/** A link to the sign-in page, which leads back to this page. */
export function SignInLink({ label = 'Sign in' }: { label?: string }) {
  return (
    <Link href={signInPath(location.pathname + location.search)} className="button primary">
      {label}
    </Link>
  );
}

/** Says that the server could not be asked who is signed in. Shows nothing while it is asked. */
export function SessionNote() {
  const { session, reload } = useSession();
  if (session.is !== 'failed') return null;
  return (
    <>
      <p role="alert">The server cannot be reached. Check your connection.</p>
      <Button label="Try again" onClick={() => void reload()} />
    </>
  );
}
