import { Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Server } from '../../../shared/session.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { FieldForm } from '../../components/form.tsx';
import { Tag } from '../../components/status.tsx';
import { hostOf, signInText } from '../../state/account.ts';
import { useSubmit } from '../../state/requests.ts';
import { useShell } from '../../state/shell.ts';
import { useAppState } from '../../state/store.ts';
import { Section } from './rows.tsx';

/** The known servers. Drops go to the current one. */
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
  if (isRemoving)
    return (
      <div className="settings-pad">
        <Confirm
          question={`Remove ${host}? This deletes its key and pauses its folders.`}
          yes="Remove"
          onNo={() => setRemoving(false)}
          onYes={async () => {
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
      {!isCurrent && (
        <Button small aria-label={`Use ${host}`} onClick={() => void ask(commands.chooseServer({ origin }))}>
          Use
        </Button>
      )}
      {!isOnly && (
        <Button small variant="quiet" aria-label={`Remove ${host}`} onClick={() => setRemoving(true)}>
          Remove
        </Button>
      )}
    </div>
  );
}

function AddServer() {
  const { commands, showToast, route } = useShell();
  const [address, setAddress] = useState(route.server ?? '');
  const request = useSubmit();
  // A link may name a server: its address is filled in, but only the user can add it.
  useEffect(() => {
    if (route.server !== undefined) setAddress(route.server);
  }, [route]);
  const add = async () => {
    const added = await request.submit(commands.addServer({ address: address.trim() }));
    if (added === null) return;
    setAddress('');
    showToast(`Added ${hostOf(added.value.origin)}. It is now in use.`);
  };
  return (
    <FieldForm
      className="settings-pad"
      aria-label="Add a server"
      isReady={address.trim() !== ''}
      request={request}
      button={{ icon: Plus, children: 'Add' }}
      onSubmit={add}
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
        onChange={(event) => setAddress(event.target.value)}
      />
    </FieldForm>
  );
}
