import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { Server } from '../../../shared/session.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { StatusLine } from '../../components/status-line.tsx';
import { ProblemBox } from '../../components/problem.tsx';
import { Usage } from '../../components/usage.tsx';
import { hostOf, useAccount } from '../../state/account.ts';
import { useShell } from '../../state/shell.ts';
import { useSubmit } from '../../state/use-submit.ts';
import { useAppState } from '../../state/store.ts';
import { Section } from './rows.tsx';

/** The account on the current server; badges in and out. */
export function AccountSection() {
  const { server } = useAccount();
  const { is } = server.signIn;
  return (
    <Section title={`Account on ${hostOf(server.origin)}`}>
      <SignInStatus server={server} />
      {is === 'signed-in' && (
        <div className="settings-pad">
          <Usage />
        </div>
      )}
      {(is === 'signed-out' || is === 'refused') && <KeyForm key={server.origin} />}
    </Section>
  );
}

function SignInStatus({ server: { signIn } }: { server: Server }) {
  const { desktop, ask } = useShell();
  const signOut = <Button onClick={() => void ask(desktop.commands.signOut())}>Sign out</Button>;
  switch (signIn.is) {
    case 'signed-out':
      return null;
    case 'checking':
      return (
        <div className="settings-row">
          <StatusLine tone="busy">Checking your key</StatusLine>
          {signOut}
        </div>
      );
    case 'signed-in':
      return (
        <div className="settings-row">
          <div className="settings-text">
            <p className="name clip selectable">{signIn.account.email}</p>
            <p className="small soft">
              Plan: {signIn.account.plan}
              {signIn.account.hint !== null && ` · newest key ends in ${signIn.account.hint}`}
            </p>
          </div>
          {signOut}
        </div>
      );
    case 'unreachable':
      return (
        <div className="settings-row">
          <div className="settings-text">
            <StatusLine tone="warn">The server cannot be reached</StatusLine>
            <p className="small soft">
              {signIn.message}
              {signIn.email !== null && ` You stay signed in as ${signIn.email}.`}
            </p>
          </div>
          <Button onClick={() => void ask(desktop.commands.refreshAccount())}>Try again</Button>
          {signOut}
        </div>
      );
    case 'refused':
      return (
        <div className="settings-row">
          <div className="settings-text">
            <StatusLine tone="bad">Your key no longer works</StatusLine>
            <p className="small soft">
              {signIn.email !== null && `It belonged to ${signIn.email}. `}Watched folders are not published until you
              sign in again.
            </p>
          </div>
          {signOut}
        </div>
      );
  }
}

function KeyForm() {
  const { desktop, showToast } = useShell();
  const { keysKept } = useAppState('session');
  const [key, setKey] = useState('');
  const { submit, isBusy, problem } = useSubmit();
  const signIn = async () => {
    const signedIn = await submit(desktop.commands.signIn({ key: key.trim() }));
    if (signedIn === null) return;
    setKey('');
    showToast({ text: `Signed in as ${signedIn.value.email}.` });
  };
  return (
    <form
      className="settings-pad"
      aria-label="Sign in"
      onSubmit={(event) => {
        event.preventDefault();
        if (key.trim() !== '') void signIn();
      }}
    >
      <div className="key-form">
        <Field
          label="API key"
          type="password"
          placeholder="ship-…"
          value={key}
          onChange={(event) => setKey(event.target.value)}
          hint={
            keysKept === 'system'
              ? 'Checked right away and stored in your system’s keychain.'
              : 'This system has no keychain, so the key is kept in memory until Berth quits.'
          }
        />
        <Button type="submit" variant="primary" icon={KeyRound} busy={isBusy} disabled={key.trim() === ''}>
          Sign in
        </Button>
      </div>
      {problem !== null && <ProblemBox problem={problem} />}
    </form>
  );
}
