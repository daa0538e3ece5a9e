import { Menu, X } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Select } from '@berth/ui/components/select';
import { accountName, useAccounts } from '../account/accounts.ts';
import icon from '../icon.svg';
import { NAVIGATION } from '../routes.ts';
import { useSession } from '../state/session.tsx';

/** The links to all pages. In a narrow window, a button shows and hides them. */
export function Navigation() {
  const [path] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  useEffect(() => setOpen(false), [path]);
  return (
    <header className="sidebar" onKeyDown={(event) => event.key === 'Escape' && setOpen(false)}>
      <div className="brand">
        <Link href="/" aria-label="Berth: start page">
          <img src={icon} width="24" height="24" alt="" />
          Berth
        </Link>
        <button
          type="button"
          className="icon-button menu-button"
          aria-label="Menu"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? <X size={18} aria-hidden /> : <Menu size={18} aria-hidden />}
        </button>
      </div>
      <nav id={id} aria-label="Main" className={isOpen ? 'is-open' : ''}>
        <ul>
          {NAVIGATION.map(({ path: target, title, icon: Icon }) => (
            <li key={target}>
              <Link href={target} className="nav-item" aria-current={isWithin(path, target) ? 'page' : undefined}>
                <Icon size={17} strokeWidth={1.75} aria-hidden />
                {title}
              </Link>
            </li>
          ))}
        </ul>
        <SessionLine />
      </nav>
    </header>
  );
}

function SessionLine() {
  const { session } = useSession();
  if (session.is === 'signed-out')
    return (
      <div className="sidebar-end">
        <Link href="/app/sign-in" className="button plain">
          Sign in
        </Link>
      </div>
    );
  if (session.is !== 'signed-in') return null;
  return (
    <div className="sidebar-end">
      <AccountSwitch />
      <Link href="/app/account" className="nav-item">
        <span className="avatar" aria-hidden>
          {session.email.slice(0, 1)}
        </span>
        <span className="clip">{session.email}</span>
      </Link>
    </div>
  );
}

/** Lets a person who is a member of several accounts choose the one that the console shows. */
function AccountSwitch() {
  const { accounts, account, choose } = useAccounts();
  if (accounts.length < 2) return null;
  const options = accounts.map((each) => [each.account, accountName(each)] as const);
  return (
    <div className="account-switch">
      <Select label="Account" value={account} options={options} onChange={(chosen) => void choose(chosen)} />
    </div>
  );
}

function isWithin(path: string, target: string): boolean {
  return path === target || (target !== '/' && path.startsWith(`${target}/`));
}
