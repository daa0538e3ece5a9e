import './page.css';
import { KeyRound, type LucideIcon } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { useAccount } from '../state/account.ts';
import { useNavigation } from '../state/navigation.ts';
import { Button } from './button.tsx';

interface PageFrameProps {
  title: string;
  /** The way back to the page above this one. */
  back?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function PageFrame({ title, back, actions, children }: PageFrameProps) {
  const { pagesScroll } = useNavigation();
  // The keyboard can scroll a region only if it can have the focus.
  const region = pagesScroll ? { role: 'region', 'aria-label': `${title}: content`, tabIndex: 0 } : {};
  return (
    <>
      <header className="page-head">
        <div>
          <div className="page-title">
            {back}
            <h1 tabIndex={-1}>{title}</h1>
          </div>
          <div className="page-actions">{actions}</div>
        </div>
      </header>
      <div className={pagesScroll ? 'page-body is-scrolling' : 'page-body'} {...region}>
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

export function SignInButton({ small = false }: { small?: boolean }) {
  const { navigate } = useNavigation();
  return <Button label="Sign in" small={small} variant="primary" onClick={() => navigate('sign-in')} />;
}

const REFUSED_TITLES = { key: 'Your key no longer works', session: 'Your session has ended' } as const;

/** A page that shows its actions and children only when the user is signed in, and otherwise asks the user to sign in. */
export function AccountPage(props: ComponentProps<typeof PageFrame>) {
  const { hasAccess, isRefused, credential } = useAccount();
  if (hasAccess) return <PageFrame {...props} />;
  return (
    <PageFrame title={props.title}>
      <Empty
        icon={KeyRound}
        title={isRefused ? REFUSED_TITLES[credential] : `Sign in to see your ${props.title.toLowerCase()}`}
        text={isRefused ? 'Sign in again to continue.' : 'Sites published without an account are on the Publish page.'}
      >
        <SignInButton />
      </Empty>
    </PageFrame>
  );
}
