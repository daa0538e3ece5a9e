import { useAccount } from '@berth/ui/state/account';
import { Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Server } from '../../../shared/session.ts';
import { Button } from '@berth/ui/components/button';
import { Confirm } from '@berth/ui/components/dialog';
import { Field } from '@berth/ui/components/field';
import { BrowserSignIn } from './browser-sign-in.tsx';
import { KeyForm } from './key-form.tsx';
import { FieldForm } from '@berth/ui/components/form';
import { Usage } from '@berth/ui/components/meter';
import { StatusLine, Tag } from '@berth/ui/components/status';
import { hostOf } from '@berth/ui/text/url';
import { currentServer, signInText } from '../../state/account.ts';
import { useSubmit } from '@berth/ui/state/requests';
import { useShell } from '../../state/shell.ts';
import { useAppState } from '../../state/store.ts';
import { Row, Section } from '@berth/ui/components/rows';

export function AccountSection() {
  const { hasAccess } = useAccount();
  const server = currentServer(useAppState('session'));
  return (
    <Section title={`Account on ${hostOf(server.origin)}`}>
      <SignInStatus server={server} />
      {server.signIn.is === 'signed-in' && (
        <div className="settings-pad">
          <Usage />
        </div>
      )}
      {!hasAccess && <BrowserSignIn key={`browser ${server.origin}`} />}
      {!hasAccess && <KeyForm key={server.origin} />}
    </Section>
  );
}

function SignInStatus({ server: { signIn } }: { server: Server }) {
  const { commands, ask } = useShell();
  const signOut = <Button label="Sign out" onClick={() => void ask(commands.signOut())} />;
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
      const newestKey = hint === null ? '' : ` · newest key ends in ${hint}`;
      return <Row name={email} hint={`Plan: ${plan}${newestKey}`} actions={signOut} />;
    }
    case 'unreachable':
      return (
        <Row
          name={<StatusLine tone="warn">The server cannot be reached</StatusLine>}
          hint={`${signIn.message}${signIn.email === null ? '' : ` You stay signed in as ${signIn.email}.`}`}
          actions={
            <>
              <Button label="Try again" onClick={() => void ask(commands.refreshAccount())} />
              {signOut}
            </>
          }
        />
      );
    case 'refused': {
      const owner = signIn.email === null ? '' : `The key belonged to ${signIn.email}. `;
      return (
        <Row
          name={<StatusLine tone="bad">Your key no longer works</StatusLine>}
          hint={`${owner}Watched folders are not published until you sign in again.`}
          actions={signOut}
        />
      );
    }
  }
}

export function ServersSection() {
  const { servers, current } = useAppState('session');
  return (
    <Section title="Servers">
      {servers.map((server) => (
        <ServerRow
          key={server.origin}
          server={server}
          isCurrent={server.origin === current}
          isOnly={servers.length === 1}
        />
      ))}
      <AddServer />
    </Section>
  );
}

function ServerRow({ server, isCurrent, isOnly }: { server: Server; isCurrent: boolean; isOnly: boolean }) {
  const { commands, ask } = useShell();
  const [isRemoving, setRemoving] = useState(false);
  const { origin } = server;
  const host = hostOf(origin);
  const chooseServer = () => void ask(commands.chooseServer({ origin }));
  if (isRemoving)
    return (
      <div className="settings-pad">
        <Confirm
          question={`Remove ${host}? This deletes its key and pauses its folders.`}
          action="Remove"
          onCancel={() => setRemoving(false)}
          onConfirm={async () => {
            await ask(commands.removeServer({ origin }));
            setRemoving(false);
          }}
        />
      </div>
    );
  return (
    <div className="settings-row">
      <div className="settings-text">
        <p className="name clip selectable" title={origin}>
          {host} {isCurrent && <Tag tone="good">In use</Tag>}
        </p>
        <p className="small soft clip">{signInText(server)}</p>
      </div>
      {!isCurrent && <Button label="Use" small aria-label={`Use ${host}`} onClick={chooseServer} />}
      {!isOnly && (
        <Button label="Remove" small variant="quiet" aria-label={`Remove ${host}`} onClick={() => setRemoving(true)} />
      )}
    </div>
  );
}

function AddServer() {
  const { commands, showToast, route } = useShell();
  const [address, setAddress] = useState(route.server ?? '');
  const request = useSubmit();
  // A link may fill in the address of a server, but only the user can add the server.
  useEffect(() => {
    if (route.server !== undefined) setAddress(route.server);
  }, [route]);
  const addServer = async () => {
    const addedServer = await request.submit(commands.addServer({ address: address.trim() }));
    if (addedServer === null) return;
    setAddress('');
    showToast(`Added ${hostOf(addedServer.value.origin)}. It is now in use.`);
  };
  return (
    <FieldForm
      className="settings-pad"
      aria-label="Add a server"
      isReady={address.trim() !== ''}
      request={request}
      button={{ icon: Plus, label: 'Add' }}
      onSubmit={addServer}
    >
      <Field
        label="Another server"
        placeholder="https://berth.example"
        value={address}
        autoFocus={route.server !== undefined}
        hint={
          route.server === undefined
            ? 'The address of your Berth server.'
            : 'A link suggested this server. Add it only if you trust it.'
        }
        onText={setAddress}
      />
    </FieldForm>
  );
}
