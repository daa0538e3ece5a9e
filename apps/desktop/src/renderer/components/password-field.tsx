import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { passwordError } from '../text/validate.ts';
import { IconButton } from './button.tsx';
import { Field } from './field.tsx';

/**
 * Input for the password of a site.
 *
 * @param onPassword Called with the typed text even while it is too short, so that nothing is published unprotected by mistake.
 *   `undefined` when the field is empty.
 */
export function PasswordField({
  password,
  onPassword,
  hint = 'Visitors need this password. Leave empty for none.',
}: {
  password: string | undefined;
  onPassword: (password: string | undefined) => void;
  hint?: string | undefined;
}) {
  const [isShown, setShown] = useState(false);
  const [isBlurred, setBlurred] = useState(false);
  const error = password === undefined ? null : passwordError(password);
  return (
    <Field
      label="Password"
      type={isShown ? 'text' : 'password'}
      autoComplete="new-password"
      value={password ?? ''}
      // Show the error only after the field is left, not while typing.
      error={isBlurred ? error : null}
      hint={error ?? hint}
      onBlur={() => setBlurred(true)}
      onChange={(event) => {
        const { value } = event.target;
        setBlurred(false);
        onPassword(value === '' ? undefined : value);
      }}
      end={
        <IconButton
          icon={isShown ? EyeOff : Eye}
          label={isShown ? 'Hide password' : 'Show password'}
          className="in-field"
          onClick={() => setShown(!isShown)}
        />
      }
    />
  );
}
