import type { Answer } from '@berth/ui/backend';
import { Button } from '@berth/ui/components/button';
import { Field } from '@berth/ui/components/field';
import { Form } from '@berth/ui/components/form';
import { ProblemBox } from '@berth/ui/components/status';
import { useSubmit } from '@berth/ui/state/requests';
import { useState } from 'react';
import { answerOf } from '../account/answers.ts';
import { client } from '../backend.ts';
import { answerOfProof } from './proof-answers.ts';

const DIGITS = /^\d{6}$/;

interface CodeFormProps {
  /** The page to return to. */
  back: string;
  onSubmit: (attempt: Promise<Answer<unknown>>) => Promise<void>;
  isBusy: boolean;
}

/** Sends a code by e-mail, and signs in with it. The answer is the same for every address. */
export function CodeForm({ back, onSubmit, isBusy }: CodeFormProps) {
  const [email, setEmail] = useState('');
  const [isSent, setSent] = useState(false);
  const [code, setCode] = useState('');
  const request = useSubmit();
  const send = async () => {
    if (await request.submit(answerOf(client.api.signIn.requestCode.mutate({ email, back })))) setSent(true);
  };
  if (!isSent)
    return (
      <Form className="stack" isReady={email.trim() !== ''} onSubmit={() => void send()}>
        <Field label="E-mail address for a code" type="email" autoComplete="username" value={email} onText={setEmail} />
        <Button label="Send me a code" type="submit" busy={request.isBusy} disabled={email.trim() === ''} />
        <ProblemBox problem={request.problem} />
      </Form>
    );
  const isReady = DIGITS.test(code.replace(/[\s-]/g, ''));
  return (
    <Form
      className="stack"
      isReady={isReady}
      onSubmit={() => void onSubmit(answerOfProof(client.api.signIn.code.mutate({ code })))}
    >
      <p role="status">If {email} can sign in here, a code is on its way. It works for 10 minutes, in this browser.</p>
      <Field
        label="Code"
        className="code-field"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={12}
        autoFocus
        value={code}
        onText={setCode}
      />
      <div className="note-actions">
        <Button label="Sign in" type="submit" variant="primary" busy={isBusy} disabled={!isReady} />
        <Button label="Send another code" onClick={() => setSent(false)} />
      </div>
    </Form>
  );
}
