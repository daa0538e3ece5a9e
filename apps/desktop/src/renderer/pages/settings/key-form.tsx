import { Field } from '@berth/ui/components/field';
import { FieldForm } from '@berth/ui/components/form';
import { useSubmit } from '@berth/ui/state/requests';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useShell } from '../../state/shell.ts';
import { useAppState } from '../../state/store.ts';

/** Signs in with an API key. */
export function KeyForm() {
  const { commands, showToast } = useShell();
  const { keysKept } = useAppState('session');
  const [key, setKey] = useState('');
  const request = useSubmit();
  const signIn = async () => {
    const signedIn = await request.submit(commands.signIn({ key: key.trim() }));
    if (signedIn === null) return;
    setKey('');
    showToast(`Signed in as ${signedIn.value.email}.`);
  };
  return (
    <FieldForm
      className="settings-pad"
      aria-label="Sign in"
      isReady={key.trim() !== ''}
      request={request}
      button={{ icon: KeyRound, label: 'Sign in' }}
      onSubmit={signIn}
    >
      <Field
        label="API key"
        type="password"
        placeholder="ship-…"
        value={key}
        onText={setKey}
        hint={
          keysKept === 'system'
            ? 'The key is checked at once and stored in your system’s keychain.'
            : 'This system has no keychain, so the key is kept in memory until Berth quits.'
        }
      />
    </FieldForm>
  );
}
