import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { passwordFault } from '../words/validate.ts';
import { IconButton } from './button.tsx';
import { Field } from './field.tsx';

/** Asks for the password of a site. @param onPassword Hears of each one that may be; of `undefined` for none. */
export function PasswordField({
  onPassword,
  hint = 'What visitors have to enter. Empty: everyone with the link sees it.',
  autoFocus,
}: {
  onPassword: (password: string | undefined) => void;
  hint?: string;
  autoFocus?: boolean;
}) {
  const [text, setText] = useState('');
  const [isShown, setShown] = useState(false);
  const [isLeft, setLeft] = useState(false);
  const fault = text === '' ? null : passwordFault(text);
  return (
    <Field
      label="Password"
      type={isShown ? 'text' : 'password'}
      autoComplete="new-password"
      value={text}
      // Nobody is told off in the middle of the word.
      fault={isLeft ? fault : null}
      hint={fault ?? hint}
      autoFocus={autoFocus}
      onBlur={() => setLeft(true)}
      onChange={(event) => {
        const { value } = event.target;
        setText(value);
        setLeft(false);
        onPassword(value !== '' && passwordFault(value) === null ? value : undefined);
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
