import './field.css';
import { type ComponentProps, type ReactNode, useId } from 'react';

export interface FieldProps extends ComponentProps<'input'> {
  label: string;
  hint?: ReactNode;
  /** Why the value is invalid. */
  error?: string | null;
  /** Shown after the input. */
  end?: ReactNode;
}

/** Single-line text input. The label is above it; the error, or else the hint, is below it. */
export function Field({ label, hint, error, end, ...rest }: FieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className={error ? 'field-box is-invalid' : 'field-box'}>
        <input
          id={id}
          autoComplete="off"
          spellCheck={false}
          {...rest}
          aria-invalid={error ? true : undefined}
          aria-describedby={`${id}-hint`}
        />
        {end}
      </div>
      <p id={`${id}-hint`} className={`small ${error ? 'field-error' : 'soft'}`} role={error ? 'alert' : undefined}>
        {error ?? hint}
      </p>
    </div>
  );
}
