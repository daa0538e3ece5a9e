import { Button } from '@berth/ui/components/button';
import { Form } from '@berth/ui/components/form';
import { ProblemBox } from '@berth/ui/components/status';
import { useSubmit } from '@berth/ui/state/requests';
import { useState } from 'react';
import { client } from '../backend.ts';
import { requestCode } from './code-form.tsx';
import { answerOfProof } from './proof-answers.ts';
import { Field, SecretField } from '@berth/ui/components/field';
import { useSignIn } from './use-sign-in.ts';

interface EmailFormProps {
  /** Whether the server sends codes by e-mail. */
  hasCodes: boolean;
  hasPasswords: boolean;
  /** The page to return to. */
  back: string;
  onCodeSent: (email: string) => void;
}

/** Signs in with an e-mail address: by a code, or with a password where there are no codes or the person prefers it. */
export function EmailForm({ hasCodes, hasPasswords, back, onCodeSent }: EmailFormProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [usesPassword, setUsesPassword] = useState(!hasCodes);
  const sending = useSubmit();
  const { isBusy, problem, signIn } = useSignIn();
  const isReady = email.trim() !== '' && (!usesPassword || password !== '');
  const submit = async () => {
    if (usesPassword) await signIn(answerOfProof(client.api.signIn.password.mutate({ email, password })));
    else if (await sending.submit(requestCode(email, back))) onCodeSent(email);
  };
  return (
    <Form className="stack" isReady={isReady} onSubmit={() => void submit()}>
      <Field label="E-mail address" type="email" autoComplete="username" value={email} onText={setEmail} />
      {usesPassword && (
        <SecretField label="Password" autoComplete="current-password" value={password} onText={setPassword} />
      )}
      <ProblemBox problem={usesPassword ? problem : sending.problem} />
      <div className="note-actions">
        <Button
          label={usesPassword ? 'Sign in' : 'Send me a code'}
          type="submit"
          busy={isBusy || sending.isBusy}
          disabled={!isReady}
        />
        {hasCodes && hasPasswords && (
          <Button
            label={usesPassword ? 'Use a code' : 'Use a password'}
            variant="quiet"
            onClick={() => setUsesPassword(!usesPassword)}
          />
        )}
      </div>
    </Form>
  );
}
