import '../sign-in/sign-in.css';
import type { InviteTarget } from '@berth/contract';
import { Button } from '@berth/ui/components/button';
import { Field } from '@berth/ui/components/field';
import { Form } from '@berth/ui/components/form';
import { ProblemBox } from '@berth/ui/components/status';
import { useAnswer, useSubmit } from '@berth/ui/state/requests';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { answerOf } from '../account/answers.ts';
import { client } from '../backend.ts';
import { SessionNote } from '../shell/account-gate.tsx';
import { dropLinkSecret, linkSecret } from '../sign-in/link-secret.ts';
import { refusalOf } from '../sign-in/refusal.ts';
import { pathBackTo, takeReturn } from '../sign-in/return-path.ts';
import { useSession } from '../state/session.tsx';

/** Accepts an invitation to an account, after one click. */
export default function InvitePage() {
  const secret = linkSecret();
  const { session } = useSession();
  const refusal = session.is === 'signed-in' || session.is === 'signed-out' ? refusalOf(session.offer) : null;
  return (
    <div className="page-note">
      <h1>Join an account</h1>
      {secret === null && <UnknownInvite />}
      {secret !== null && refusal !== null && <p role="alert">{refusal}</p>}
      {secret !== null && refusal === null && <Invitation secret={secret} />}
      <SessionNote />
    </div>
  );
}

function Invitation({ secret }: { secret: string }) {
  const target = useAnswer(() => answerOf(client.api.invites.find.mutate({ secret })), [secret]);
  if (target.problem?.kind === 'refused') return <UnknownInvite />;
  return (
    <>
      <ProblemBox problem={target.problem} onRetry={target.read} />
      {target.value && <Accept secret={secret} target={target.value} />}
    </>
  );
}

function Accept({ secret, target }: { secret: string; target: InviteTarget }) {
  const { session, reload } = useSession();
  const [, navigate] = useLocation();
  const { isBusy, problem, submit } = useSubmit();
  const [typed, setTyped] = useState('');
  if (session.is !== 'signed-in' && session.is !== 'signed-out') return null;
  const isSignedIn = session.is === 'signed-in';
  const email = isSignedIn ? session.email : (target.email ?? typed.trim());
  const asksForEmail = !isSignedIn && target.email === null;
  const accept = async () => {
    const request = { secret, ...(asksForEmail && { email }) };
    if (!(await submit(answerOf(client.api.invites.accept.mutate(request))))) return;
    dropLinkSecret();
    await reload();
    navigate(isSignedIn ? '/app/sites' : pathBackTo('/app/keep', takeReturn()), { replace: true });
  };
  return (
    <>
      <p>
        {target.owner} invites you to {target.name === null ? 'their account' : <strong>{target.name}</strong>} on{' '}
        {location.host}. As a member you can publish, change and delete its sites.
      </p>
      <Form className="stack" isReady={email !== ''} onSubmit={() => void accept()}>
        {asksForEmail && (
          <Field
            label="Your e-mail address"
            type="email"
            autoComplete="email"
            value={typed}
            onText={setTyped}
            hint="The other members see it."
          />
        )}
        <Button
          label={asksForEmail ? 'Join' : `Join as ${email}`}
          type="submit"
          variant="primary"
          busy={isBusy}
          disabled={email === ''}
        />
        <ProblemBox problem={problem} />
      </Form>
    </>
  );
}

function UnknownInvite() {
  return <p>This invitation was accepted, deleted or has expired. Ask the owner of the account for another one.</p>;
}
