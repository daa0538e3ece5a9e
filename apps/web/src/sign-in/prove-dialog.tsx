import './sign-in.css';
import { Button } from '@berth/ui/components/button';
import { Dialog } from '@berth/ui/components/dialog';
import { Form } from '@berth/ui/components/form';
import { ProblemBox } from '@berth/ui/components/status';
import { useSubmit } from '@berth/ui/state/requests';
import type { Answer } from '@berth/ui/backend';
import { Fingerprint } from 'lucide-react';
import { useState } from 'react';
import { client } from '../backend.ts';
import { type SignedIn, type SignInOffer, useSession } from '../state/session.tsx';
import { CodeForm, requestCode } from './code-form.tsx';
import { hasPasskeys, proveWithPasskey } from './passkeys.ts';
import { answerOfProof } from './proof-answers.ts';
import { SecretField } from '@berth/ui/components/field';

interface ProveProps {
  onProven: () => void;
}

/** Asks the person to prove who they are, in a way that they and the server have. @param onClose Called with the result. */
export default function ProveDialog({ onClose }: { onClose: (isProven: boolean) => void }) {
  const { session } = useSession();
  if (session.is !== 'signed-in') return null;
  const { offer, signedIn } = session;
  return (
    <Dialog title="Prove that it is you" onClose={() => onClose(false)}>
      <div className="dialog-body">
        <Ways offer={offer} signedIn={signedIn} onProven={() => onClose(true)} />
      </div>
    </Dialog>
  );
}

function Ways({ offer: { methods }, signedIn, onProven }: ProveProps & { offer: SignInOffer; signedIn: SignedIn }) {
  const { passkeys, hasPassword, identities, person } = signedIn;
  const hasPasskey = passkeys > 0 && hasPasskeys();
  const provider = identities > 0 ? methods.oidc : null;
  if (!hasPasskey && !hasPassword && !methods.code && provider === null)
    return (
      <p>
        This change needs a recent sign-in, and you have no passkey or password yet. Sign out, sign in again with a new
        link, and add one.
      </p>
    );
  return (
    <>
      <p className="soft">You are not asked again for 10 minutes.</p>
      {hasPasskey && <UsePasskey onProven={onProven} />}
      {hasPassword && <UsePassword onProven={onProven} />}
      {methods.code && <UseCode email={person.email} onProven={onProven} />}
      {provider !== null && <UseProvider name={provider} />}
    </>
  );
}

/** Holds the state of one way to prove. */
function useProof(onProven: () => void) {
  const { isBusy, problem, submit } = useSubmit();
  const prove = async (attempt: Promise<Answer<unknown>>) => {
    if (await submit(attempt)) onProven();
  };
  return { isBusy, problem, prove };
}

function UsePasskey({ onProven }: ProveProps) {
  const { isBusy, problem, prove } = useProof(onProven);
  return (
    <>
      <Button
        label="Use a passkey"
        variant="primary"
        icon={Fingerprint}
        busy={isBusy}
        onClick={() => void prove(proveWithPasskey())}
      />
      <ProblemBox problem={problem} />
    </>
  );
}

function UsePassword({ onProven }: ProveProps) {
  const { isBusy, problem, prove } = useProof(onProven);
  const [password, setPassword] = useState('');
  return (
    <Form
      className="stack"
      isReady={password !== ''}
      onSubmit={() => void prove(answerOfProof(client.api.session.prove.mutate({ password })))}
    >
      <SecretField label="Password" autoComplete="current-password" value={password} onText={setPassword} />
      <ProblemBox problem={problem} />
      <Button label="Continue" type="submit" variant="primary" busy={isBusy} disabled={password === ''} />
    </Form>
  );
}

function UseCode({ email, onProven }: ProveProps & { email: string }) {
  const sending = useSubmit();
  const proof = useProof(onProven);
  const [sent, setSent] = useState(0);
  const send = async () => {
    if (await sending.submit(requestCode(email))) setSent(sent + 1);
  };
  if (sent === 0)
    return (
      <>
        <Button label="Send me a code by e-mail" busy={sending.isBusy} onClick={() => void send()} />
        <ProblemBox problem={sending.problem} />
      </>
    );
  return (
    <CodeForm
      key={sent}
      label="Continue"
      sentTo={sent === 1 ? `A code was sent to ${email}.` : `Another code was sent to ${email}.`}
      request={{ isBusy: proof.isBusy, problem: sending.problem ?? proof.problem }}
      onCode={(code) => void proof.prove(answerOfProof(client.api.session.prove.mutate({ code })))}
    >
      <Button label="Send another code" busy={sending.isBusy} onClick={() => void send()} />
    </CodeForm>
  );
}

/** Leads to the provider and back to this page, where the person repeats the change. */
function UseProvider({ name }: { name: string }) {
  return (
    <p className="soft">
      <a href={`/sign-in/oidc?back=${encodeURIComponent(location.pathname + location.search)}`}>Sign in at {name}</a>,
      which leads back to this page. Then make the change again.
    </p>
  );
}
