import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { passwordFault } from '../words/validate.ts';
import { IconButton } from './button.tsx';
import { Field } from './field.tsx';

/**
 * Asks for the password of a site.
 *
 * @param onPassword Hears what is typed, also while it is too short: nothing goes out unprotected in silence. `undefined` for none.
 */
export function PasswordField({
  password,
  onPassword,
  hint = 'What visitors have to enter. Empty: everyone with the link sees it.',
}: {
  password: string | undefined;
  onPassword: (password: string | undefined) => void;
  hint?: string | undefined;
}) {
  const [isShown, setShown] = useState(false);
  const [isLeft, setLeft] = useState(false);
  const fault = password === undefined ? null : passwordFault(password);
  return (
    <Field
      label="Password"
      type={isShown ? 'text' : 'password'}
      autoComplete="new-password"
      value={password ?? ''}
      // Nobody is told off in the middle of the word.
      fault={isLeft ? fault : null}
      hint={fault ?? hint}
      onBlur={() => setLeft(true)}
      onChange={(event) => {
        const { value } = event.target;
        setLeft(false);
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
