import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { Server } from '../../../shared/session.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { FieldForm } from '../../components/form.tsx';
import { Usage } from '../../components/meter.tsx';
import { StatusLine } from '../../components/status.tsx';
import { hostOf, useAccount } from '../../state/account.ts';
import { useSubmit } from '../../state/requests.ts';
import { useShell } from '../../state/shell.ts';
import { useAppState } from '../../state/store.ts';
import { Row, Section } from './rows.tsx';

/** The account on the current server; signs in and out. */
export function AccountSection() {
  const { server, hasKey } = useAccount();
  return (
    <Section title={`Account on ${hostOf(server.origin)}`}>
      <SignInStatus server={server} />
      {server.signIn.is === 'signed-in' && (
        <div className="settings-pad">
          <Usage />
        </div>
      )}
      {!hasKey && <KeyForm key={server.origin} />}
    </Section>
  );
}

function SignInStatus({ server: { signIn } }: { server: Server }) {
  const { commands, ask } = useShell();
  const signOut = <Button onClick={() => void ask(commands.signOut())}>Sign out</Button>;
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
    case 'signed-in': {
      const { email, plan, hint } = signIn.account;
      return (
        <Row name={email} hint={`Plan: ${plan}${hint === null ? '' : ` · newest key ends in ${hint}`}`}>
          {signOut}
        </Row>
      );
    }
    case 'unreachable':
      return (
        <Row
          name={<StatusLine tone="warn">The server cannot be reached</StatusLine>}
          hint={`${signIn.message}${signIn.email === null ? '' : ` You stay signed in as ${signIn.email}.`}`}
        >
          <Button onClick={() => void ask(commands.refreshAccount())}>Try again</Button>
          {signOut}
        </Row>
      );
    case 'refused': {
      const owner = signIn.email === null ? '' : `It belonged to ${signIn.email}. `;
      return (
        <Row
          name={<StatusLine tone="bad">Your key no longer works</StatusLine>}
          hint={`${owner}Watched folders are not published until you sign in again.`}
        >
          {signOut}
        </Row>
      );
    }
  }
}

function KeyForm() {
  const { commands, showToast } = useShell();
  const { keysKept } = useAppState('session');
  const [key, setKey] = useState('');
  const request = useSubmit();
  const signIn = async () => {
    const signedIn = await request.submit(commands.signIn({ key: key.trim() }));
    if (signedIn === null) return;
    setKey('');
    showToast(`Signed in as ${signedIn.value.email}.`);
  };
  return (
    <FieldForm
      className="settings-pad"
      aria-label="Sign in"
      isReady={key.trim() !== ''}
      request={request}
      button={{ variant: 'primary', icon: KeyRound, children: 'Sign in' }}
      onSubmit={signIn}
    >
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
    </FieldForm>
  );
}
