import { MIN_PERSON_PASSWORD } from '@berth/contract';
import { Button } from '@berth/ui/components/button';
import { Form } from '@berth/ui/components/form';
import { ProblemBox } from '@berth/ui/components/status';
import { useSubmit } from '@berth/ui/state/requests';
import { Fingerprint } from 'lucide-react';
import { useState } from 'react';
import { client } from '../backend.ts';
import { useSession } from '../state/session.tsx';
import { browserName } from './agent.ts';
import { addPasskey, hasPasskeys } from './passkeys.ts';
import { useProven } from './prove.tsx';
import { SecretField } from '@berth/ui/components/field';

/** A button that adds a passkey of this device. Says why, where there are no passkeys. */
export function AddPasskey() {
  const { session, reload } = useSession();
  const { isBusy, problem, submit } = useSubmit();
  const proven = useProven();
  if (session.is !== 'signed-in') return null;
  if (!session.offer.methods.passkey || !hasPasskeys())
    return <p className="soft">Passkeys need https. At this address, use a password.</p>;
  const add = async () => {
    // The first call only checks whether a proof is needed, before the browser opens its dialog.
    const begun = await submit(proven(() => client.api.passkeys.begin.mutate()));
    if (begun && (await submit(addPasskey(browserName(navigator.userAgent))))) await reload();
  };
  return (
    <div className="stack">
      <Button label="Add a passkey" variant="primary" icon={Fingerprint} busy={isBusy} onClick={() => void add()} />
      <p className="soft small">With your fingerprint, your face or the PIN of this device. Nothing to remember.</p>
      <ProblemBox problem={problem} />
    </div>
  );
}

/** A form that sets or changes the password of the person. */
export function SetPassword({ onDone }: { onDone?: () => void }) {
  const { session, reload } = useSession();
  const { isBusy, problem, submit } = useSubmit();
  const proven = useProven();
  const [password, setPassword] = useState('');
  if (session.is !== 'signed-in') return null;
  const isTooShort = [...password].length < MIN_PERSON_PASSWORD;
  const set = async () => {
    if (!(await submit(proven(() => client.api.person.setPassword.mutate({ password }))))) return;
    setPassword('');
    await reload();
    onDone?.();
  };
  return (
    <Form className="stack" isReady={!isTooShort} onSubmit={() => void set()}>
      {/* Password managers store the password for this name. */}
      <input type="text" autoComplete="username" value={session.email} readOnly hidden />
      <SecretField
        label="New password"
        autoComplete="new-password"
        value={password}
        onText={setPassword}
        hint={`At least ${MIN_PERSON_PASSWORD} characters.`}
        lateError={
          password !== '' && isTooShort ? `A password must have at least ${MIN_PERSON_PASSWORD} characters.` : null
        }
      />
      <Button label="Set password" type="submit" busy={isBusy} disabled={isTooShort} />
      <ProblemBox problem={problem} />
    </Form>
  );
}
