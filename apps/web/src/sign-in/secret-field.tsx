import { IconButton } from '@berth/ui/components/button';
import { Field } from '@berth/ui/components/field';
import { Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, useState } from 'react';

/** A field for the password of a person, which a button shows. */
export function SecretField(props: ComponentProps<typeof Field>) {
  const [isShown, setShown] = useState(false);
  return (
    <Field
      {...props}
      type={isShown ? 'text' : 'password'}
      trailing={
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
