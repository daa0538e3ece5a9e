import './field.css';
import { type ComponentProps, type ReactNode, useId } from 'react';

export interface FieldProps extends ComponentProps<'input'> {
  label: string;
  hint?: ReactNode;
  /** Why the value is invalid. */
  fault?: string | null;
  /** Shown after the input. */
  end?: ReactNode;
}

/** Single-line text input. The label is above it; the fault, or else the hint, is below it. */
export function Field({ label, hint, fault, end, ...rest }: FieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className={fault ? 'field-box is-wrong' : 'field-box'}>
        <input
          id={id}
          autoComplete="off"
          spellCheck={false}
          {...rest}
          aria-invalid={fault ? true : undefined}
          aria-describedby={`${id}-note`}
        />
        {end}
      </div>
      <p id={`${id}-note`} className={`small ${fault ? 'field-fault' : 'soft'}`} role={fault ? 'alert' : undefined}>
        {fault ?? hint}
      </p>
    </div>
  );
}
