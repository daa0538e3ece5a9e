import './page.css';
import { KeyRound, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { useAccount } from '../state/account.ts';
import { useShell } from '../state/shell.ts';
import { Button } from './button.tsx';

/** Layout of a page: title, actions, and the scrolling content below them. */
export function PageFrame({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <>
      <header className="page-head">
        <div>
          <h1 tabIndex={-1}>{title}</h1>
          <div className="page-actions">{actions}</div>
        </div>
      </header>
      <div className="page-body" role="region" aria-label={`${title}: content`} tabIndex={0}>
        <div>{children}</div>
      </div>
    </>
  );
}

interface EmptyProps {
  icon: LucideIcon;
  title: string;
  text: string;
  children?: ReactNode;
}

/** Placeholder for an empty list: says what would appear here and how to add it. */
export function Empty({ icon: Icon, title, text, children }: EmptyProps) {
  return (
    <div className="empty">
      <span className="empty-icon">
        <Icon size={24} strokeWidth={1.6} aria-hidden />
      </span>
      <h2>{title}</h2>
      <p className="soft">{text}</p>
      {children && <div className="empty-actions">{children}</div>}
    </div>
  );
}

/** Opens the page with the form for signing in. */
export function SignInButton({ small = false }: { small?: boolean }) {
  const { navigate } = useShell();
  return (
    <Button small={small} variant="primary" onClick={() => navigate({ page: 'settings' })}>
      Sign in
    </Button>
  );
}

/** Shows its children when signed in, otherwise a prompt to sign in. @param what Names the content, such as `sites`. */
export function ForAccount({ what, children }: { what: string; children: ReactNode }) {
  const { hasKey, server } = useAccount();
  if (hasKey) return children;
  const isRefused = server.signIn.is === 'refused';
  return (
    <Empty
      icon={KeyRound}
      title={isRefused ? 'Your key no longer works' : `Sign in to see your ${what}`}
      text={isRefused ? 'Sign in again to continue.' : 'Sites published without an account are on the Publish page.'}
    >
      <SignInButton />
    </Empty>
  );
}
