import type { Answer } from '@berth/ui/backend';
import { Button } from '@berth/ui/components/button';
import { Field } from '@berth/ui/components/field';
import { Form } from '@berth/ui/components/form';
import { ProblemBox } from '@berth/ui/components/status';
import type { Submit } from '@berth/ui/state/requests';
import { type ReactNode, useState } from 'react';
import { answerOf } from '../account/answers.ts';
import { client } from '../backend.ts';

const DIGITS = /^\d{6}$/;

/** Sends a code to an e-mail address. The answer is the same for every address. */
export function requestCode(email: string, back?: string): Promise<Answer<unknown>> {
  return answerOf(client.api.signIn.requestCode.mutate({ email, back }));
}

interface CodeFormProps {
  /** Says where the code was sent. */
  sentTo: string;
  label: string;
  request: Pick<Submit, 'isBusy' | 'problem'>;
  onCode: (code: string) => unknown;
  /** Further buttons. */
  children?: ReactNode;
}

/** A form for a code that was sent by e-mail. */
export function CodeForm({ sentTo, label, request: { isBusy, problem }, onCode, children }: CodeFormProps) {
  const [code, setCode] = useState('');
  const isReady = DIGITS.test(code.replace(/[\s-]/g, ''));
  return (
    <Form className="stack" isReady={isReady} onSubmit={() => onCode(code)}>
      <p role="status">{sentTo} It works for 10 minutes, in this browser only.</p>
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
      <ProblemBox problem={problem} />
      <div className="note-actions">
        <Button label={label} type="submit" variant="primary" busy={isBusy} disabled={!isReady} />
        {children}
      </div>
    </Form>
  );
}
