import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Passkey } from '@berth/contract';
import { moment } from '@berth/client/amounts';
import { Button } from '@berth/ui/components/button';
import { Row, Section } from '@berth/ui/components/rows';
import { ProblemBox } from '@berth/ui/components/status';
import { valueOf } from '@berth/ui/state/query';
import { useNotes } from '@berth/ui/state/toasts';
import { useState } from 'react';
import { answerOf } from '../account/answers.ts';
import { client } from '../backend.ts';
import { useSession } from '../state/session.tsx';
import { useProven } from './prove.tsx';
import { AddPasskey, SetPassword } from './ways-in.tsx';

/** The passkeys of the person. */
export function Passkeys() {
  const { session } = useSession();
  const passkeys = session.is === 'signed-in' ? session.signedIn.passkeys : 0;
  const { data, error, refetch } = useQuery({
    queryKey: ['passkeys', passkeys],
    queryFn: () => valueOf(answerOf(client.api.passkeys.list.query())),
  });
  return (
    <Section title="Passkeys">
      <ProblemBox problem={error} onRetry={() => void refetch()} />
      {data?.passkeys.map((passkey) => (
        <PasskeyRow key={passkey.passkey} passkey={passkey} />
      ))}
      <div className="settings-pad">
        <AddPasskey />
      </div>
    </Section>
  );
}

function PasskeyRow({ passkey: { passkey, name, created, used } }: { passkey: Passkey }) {
  const { reload } = useSession();
  const { ask } = useNotes();
  const queries = useQueryClient();
  const proven = useProven();
  const remove = async () => {
    if (!(await ask(proven(() => client.api.passkeys.delete.mutate({ passkey }))))) return;
    await reload();
    await queries.invalidateQueries({ queryKey: ['passkeys'] });
  };
  return (
    <Row
      name={name}
      hint={`Added ${moment(created)}, ${used === null ? 'never used' : `last used ${moment(used)}`}`}
      actions={<Button label="Remove" small aria-label={`Remove the passkey ${name}`} onClick={() => void remove()} />}
    />
  );
}

/** The password of the person, which is optional. */
export function Password() {
  const { session, reload } = useSession();
  const { ask, showToast } = useNotes();
  const proven = useProven();
  const [isOpen, setOpen] = useState(false);
  const hasPassword = session.is === 'signed-in' && session.signedIn.hasPassword;
  const remove = async () => {
    if (!(await ask(proven(() => client.api.person.setPassword.mutate({ password: null }))))) return;
    showToast('The password was removed.');
    await reload();
  };
  return (
    <Section title="Password">
      <Row
        name={hasPassword ? 'Set' : 'Not set'}
        hint="A change ends your sessions in other browsers."
        actions={
          <div className="note-actions">
            {hasPassword && (
              <Button label="Remove" small onClick={() => void remove()} aria-label="Remove the password" />
            )}
            {!isOpen && (
              <Button label={hasPassword ? 'Change' : 'Set a password'} small onClick={() => setOpen(true)} />
            )}
          </div>
        }
      />
      {isOpen && (
        <div className="settings-pad">
          <SetPassword
            onDone={() => {
              setOpen(false);
              showToast('The password was set.');
            }}
          />
        </div>
      )}
    </Section>
  );
}
