import type { Account } from '@berth/contract';
import { count } from '@berth/client/amounts';
import { Button } from '@berth/ui/components/button';
import { Dialog } from '@berth/ui/components/dialog';
import { Field } from '@berth/ui/components/field';
import { DialogForm, FieldForm } from '@berth/ui/components/form';
import { Row, Section } from '@berth/ui/components/rows';
import { Tag } from '@berth/ui/components/status';
import { useBackend } from '@berth/ui/state/backend';
import { useSubmit } from '@berth/ui/state/requests';
import { useNotes } from '@berth/ui/state/toasts';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { answerOf } from '../account/answers.ts';
import { client } from '../backend.ts';
import { type SignedIn, useSession } from '../state/session.tsx';
import { useProven } from './prove.tsx';

export function SignOut() {
  const { reload } = useSession();
  const { ask } = useNotes();
  const [, navigate] = useLocation();
  const signOut = async () => {
    if (!(await ask(answerOf(client.api.session.end.mutate())))) return;
    await reload();
    navigate('/app/sign-in', { replace: true });
  };
  return <Button label="Sign out" onClick={() => void signOut()} />;
}

/** The e-mail address of the person and the name of the account. */
export function RenameAccount({ account, email }: { account: Account; email: string }) {
  const [name, setName] = useState(account.name ?? '');
  const request = useSubmit();
  const { refreshAccount } = useBackend();
  const isChanged = name.trim() !== (account.name ?? '');
  const rename = async () => {
    const change = { name: name.trim() || null };
    if (await request.submit(answerOf(client.api.account.update.mutate(change)))) refreshAccount();
  };
  return (
    <Section title="Account">
      <Row name="Signed in as" hint={email} />
      <div className="settings-pad">
        <FieldForm isReady={isChanged} onSubmit={() => void rename()} request={request} button={{ label: 'Rename' }}>
          <Field
            label="Name of the account"
            value={name}
            maxLength={100}
            onText={setName}
            hint="Members see it. Visitors do not."
          />
        </FieldForm>
      </div>
    </Section>
  );
}

/** The accounts of a person who is a member of more than one. */
export function ChooseAccount({ signedIn }: { signedIn: SignedIn }) {
  const { reload } = useSession();
  const { ask } = useNotes();
  if (signedIn.accounts.length < 2) return null;
  const choose = async (account: string) => {
    if (await ask(answerOf(client.api.session.choose.mutate({ account })))) await reload();
  };
  return (
    <Section title="Your accounts">
      {signedIn.accounts.map(({ account, email, name }) => (
        <Row
          key={account}
          name={name ?? email}
          hint={name === null ? account : email}
          actions={
            account === signedIn.account ? (
              <Tag tone="good">In use</Tag>
            ) : (
              <Button label="Use" small aria-label={`Use ${name ?? email}`} onClick={() => void choose(account)} />
            )
          }
        />
      ))}
    </Section>
  );
}

/** Deletes the account, after the person has typed its e-mail address. */
export function DeleteAccount({ account }: { account: Account }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <Section title="Delete the account">
      <Row
        name="Delete everything"
        hint={`${count(account.usage.deployments, 'deployment')}, all domains, keys and members. This cannot be undone.`}
        actions={<Button label="Delete account" variant="danger" onClick={() => setAsking(true)} />}
      />
      {isAsking && <DeleteDialog account={account} onClose={() => setAsking(false)} />}
    </Section>
  );
}

function DeleteDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const request = useSubmit();
  const proven = useProven();
  const { reload } = useSession();
  const [, navigate] = useLocation();
  const remove = async () => {
    if (!(await request.submit(proven(() => client.api.account.delete.mutate({ account: account.account }))))) return;
    await reload();
    navigate('/', { replace: true });
  };
  return (
    <Dialog title="Delete the account" onClose={onClose}>
      <DialogForm
        label="Delete account"
        isReady={typed.trim().toLowerCase() === account.email.toLowerCase()}
        request={request}
        onSubmit={() => void remove()}
        onCancel={onClose}
      >
        <p>All sites of the account stop working at once. Nothing can be restored.</p>
        <Field label={`Type ${account.email} to delete the account`} value={typed} onText={setTyped} />
      </DialogForm>
    </Dialog>
  );
}
