import type { Answer } from '@berth/ui/backend';
import { Button } from '@berth/ui/components/button';
import { Dialog } from '@berth/ui/components/dialog';
import { Field } from '@berth/ui/components/field';
import { DialogForm, FieldForm } from '@berth/ui/components/form';
import { Row, Section } from '@berth/ui/components/rows';
import { useSubmit } from '@berth/ui/state/requests';
import { useNotes } from '@berth/ui/state/toasts';
import { useState } from 'react';
import { answerOf } from '../account/answers.ts';
import { client } from '../backend.ts';
import { type SignedIn, useSession } from '../state/session.tsx';
import { answerOfProof } from './proof-answers.ts';
import { useProven } from './prove.tsx';

const DIGITS = /^\d{6}$/;

/** The name and the e-mail address of the person. */
export function PersonDetails({ person }: { person: SignedIn['person'] }) {
  const { session } = useSession();
  const [isChanging, setChanging] = useState(false);
  const sendsMail = session.is === 'signed-in' && session.offer.methods.code;
  return (
    <Section title="You">
      <Row
        name={person.email}
        hint="You sign in with this address. Members of your accounts see it."
        actions={<Button label="Change address" small onClick={() => setChanging(true)} aria-haspopup="dialog" />}
      />
      <div className="settings-pad">
        <Rename key={person.name} name={person.name} />
      </div>
      {isChanging && <ChangeEmail present={person.email} sendsMail={sendsMail} onClose={() => setChanging(false)} />}
    </Section>
  );
}

function Rename({ name: present }: { name: string | null }) {
  const [name, setName] = useState(present ?? '');
  const request = useSubmit();
  const { reload } = useSession();
  const { showToast } = useNotes();
  const rename = async () => {
    if (!(await request.submit(answerOf(client.api.person.rename.mutate({ name: name.trim() || null }))))) return;
    showToast('Your name was saved.');
    await reload();
  };
  const isChanged = name.trim() !== (present ?? '');
  return (
    <FieldForm isReady={isChanged} onSubmit={() => void rename()} request={request} button={{ label: 'Save' }}>
      <Field
        label="Your name"
        autoComplete="name"
        value={name}
        maxLength={100}
        onText={setName}
        hint="Members of your accounts see it."
      />
    </FieldForm>
  );
}

/** Returns a function that shows the new address of the person. */
function useShowChanged(onClose: () => void) {
  const { reload } = useSession();
  const { showToast } = useNotes();
  return async (email: string) => {
    onClose();
    showToast(`Your address is now ${email}. Your other browsers are signed out.`);
    await reload();
  };
}

/** The e-mail address that is being confirmed, and whether the present one must confirm too. */
interface AskedChange {
  email: string;
  confirmsPresent: boolean;
}

interface ChangeEmailProps {
  present: string;
  /** Whether the server sends e-mail, so that codes confirm the change. */
  sendsMail: boolean;
  onClose: () => void;
}

function ChangeEmail({ present, sendsMail, onClose }: ChangeEmailProps) {
  const [asked, setAsked] = useState<AskedChange | null>(null);
  return (
    <Dialog title="Change your e-mail address" onClose={onClose}>
      {asked === null ? (
        <AskForAddress sendsMail={sendsMail} onAsked={setAsked} onClose={onClose} />
      ) : (
        <EnterCodes asked={asked} present={present} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface AskForAddressProps {
  sendsMail: boolean;
  onAsked: (asked: AskedChange) => void;
  onClose: () => void;
}

function AskForAddress({ sendsMail, onAsked, onClose }: AskForAddressProps) {
  const [email, setEmail] = useState('');
  const request = useSubmit();
  const proven = useProven();
  const showChanged = useShowChanged(onClose);
  const ask = async () => {
    const done = await request.submit(proven(() => client.api.person.requestEmail.mutate({ email })));
    if (done?.value.changed) await showChanged(email.trim());
    else if (done) onAsked({ email: email.trim(), ...done.value });
  };
  return (
    <DialogForm
      label={sendsMail ? 'Send codes' : 'Change address'}
      isReady={email.trim() !== ''}
      request={request}
      onSubmit={() => void ask()}
      onCancel={onClose}
    >
      <Field
        label="New e-mail address"
        type="email"
        autoComplete="email"
        value={email}
        onText={setEmail}
        hint={
          sendsMail
            ? 'Your new and your present address each get a code.'
            : 'This server sends no e-mail, so it cannot check the address. Make sure that it is correct.'
        }
      />
    </DialogForm>
  );
}

function EnterCodes({ asked, present, onClose }: { asked: AskedChange; present: string; onClose: () => void }) {
  const [code, setCode] = useState('');
  const [presentCode, setPresentCode] = useState('');
  const request = useSubmit();
  const showChanged = useShowChanged(onClose);
  const isReady = isCode(code) && (!asked.confirmsPresent || isCode(presentCode));
  const change = async () => {
    const input = { code, ...(asked.confirmsPresent && { presentCode }) };
    const attempt: Promise<Answer<unknown>> = answerOfProof(client.api.person.changeEmail.mutate(input));
    if (await request.submit(attempt)) await showChanged(asked.email);
  };
  return (
    <DialogForm
      label="Change address"
      isReady={isReady}
      request={request}
      onSubmit={() => void change()}
      onCancel={onClose}
    >
      <p role="status">
        {asked.confirmsPresent ? 'Two codes were sent.' : 'A code was sent.'} They work for 10 minutes, in this browser.
      </p>
      <CodeField label={`Code sent to ${asked.email}`} value={code} onText={setCode} autoFocus />
      {asked.confirmsPresent && (
        <CodeField label={`Code sent to ${present}`} value={presentCode} onText={setPresentCode} />
      )}
    </DialogForm>
  );
}

interface CodeFieldProps {
  label: string;
  value: string;
  onText: (text: string) => void;
  autoFocus?: boolean;
}

function CodeField(props: CodeFieldProps) {
  return <Field className="code-field" inputMode="numeric" autoComplete="one-time-code" maxLength={12} {...props} />;
}

function isCode(text: string): boolean {
  return DIGITS.test(text.replace(/[\s-]/g, ''));
}
