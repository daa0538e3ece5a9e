import { ChevronsUpDown, CircleCheck, Plus, Server as ServerIcon, UserRound } from 'lucide-react';
import { useId } from 'react';
import type { Server } from '../../shared/session.ts';
import { MenuList } from '../components/menu.tsx';
import { currentServer, emailOf, hostOf } from '../state/account.ts';
import { useShell } from '../state/shell.ts';
import { useAppState } from '../state/store.ts';

/** Shows the current account and server, and a menu to switch to another server. */
export function ServerSwitcher() {
  const { desktop, ask, navigate } = useShell();
  const session = useAppState('session');
  const id = useId();
  const server = currentServer(session);
  const name = signInText(server);
  return (
    <>
      <button
        type="button"
        className="switcher"
        popoverTarget={id}
        aria-haspopup="menu"
        aria-label={`Account and server: ${name}, ${hostOf(server.origin)}`}
        title={`${name}, ${hostOf(server.origin)}`}
      >
        <Avatar server={server} />
        <span className="clip">
          <span className="clip">{name}</span>
          <span className="clip small soft">{hostOf(server.origin)}</span>
        </span>
        <ChevronsUpDown size={14} aria-hidden />
      </button>
      <MenuList
        id={id}
        side="above"
        label="Servers"
        items={[
          ...session.servers.map((each) => ({
            label: hostOf(each.origin),
            hint: signInText(each),
            icon: each.origin === session.current ? CircleCheck : ServerIcon,
            checked: each.origin === session.current,
            run: () => void ask(desktop.commands.chooseServer({ origin: each.origin })),
          })),
          { label: 'Account and servers…', icon: Plus, run: () => navigate({ page: 'settings' }) },
        ]}
      />
    </>
  );
}

function Avatar({ server }: { server: Server }) {
  const email = emailOf(server);
  const isBad = server.signIn.is === 'refused' || server.signIn.is === 'unreachable';
  return (
    <span className={`avatar${isBad ? ' is-bad' : email === null ? ' is-anonymous' : ''}`} aria-hidden>
      {email === null ? <UserRound size={15} /> : email.slice(0, 1)}
    </span>
  );
}

/** A short text for the sign-in state of a server. */
export function signInText({ signIn }: Server): string {
  switch (signIn.is) {
    case 'signed-out':
      return 'Not signed in';
    case 'checking':
      return 'Signing in…';
    case 'signed-in':
      return signIn.account.email;
    case 'unreachable':
      return 'Server unreachable';
    case 'refused':
      return 'Key no longer works';
  }
}
