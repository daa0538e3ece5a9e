import './field.css';
import { type ComponentProps, type ReactNode, useId } from 'react';

export interface FieldProps extends ComponentProps<'input'> {
  label: string;
  hint?: ReactNode;
  /** What is wrong with what stands in it. */
  fault?: string | null;
  /** Stands behind what is typed. */
  end?: ReactNode;
}

/** A line of text with its name above it, and below it what is wrong, or what helps. */
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
