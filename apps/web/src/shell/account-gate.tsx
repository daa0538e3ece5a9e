import { Button } from '@berth/ui/components/button';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useSession } from '../state/session.tsx';

interface AccountGateProps {
  title: string;
  /** What a person who is not signed in can do here, such as `Sign in to see your sites.` */
  invitation: string;
  children?: ReactNode;
}

/** Shows a page of an account to people who are signed in, and the way to sign in to others. */
export function AccountGate({ title, invitation, children }: AccountGateProps) {
  const { session, reload } = useSession();
  if (session.is === 'signed-in') return children;
  return (
    <div className="page-note">
      <h1>{title}</h1>
      {session.is === 'signed-out' && (
        <>
          <p>{invitation}</p>
          <Link href={`/app/sign-in?to=${encodeURIComponent(location.pathname)}`} className="button primary">
            Sign in
          </Link>
        </>
      )}
      {session.is === 'failed' && (
        <>
          <p role="alert">The server cannot be reached. Check your connection.</p>
          <Button label="Try again" onClick={() => void reload()} />
        </>
      )}
    </div>
  );
}
