import './field.css';
import { Eye, EyeOff, X } from 'lucide-react';
import { type ComponentProps, type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { labelError, MAX_LABELS, passwordError } from '../text/validate.ts';
import { IconButton } from './button.tsx';

interface FieldProps extends ComponentProps<'input'> {
  label: string;
  hint?: ReactNode;
  /** Why the value is invalid. */
  error?: string | null;
  /** Shown before the input. */
  start?: ReactNode;
  /** Shown after the input. */
  end?: ReactNode;
}

/** Single-line text input. The label is above it; the error, or else the hint, is below it. */
export function Field({ label, hint, error = null, start, end, className = '', ...rest }: FieldProps) {
  const id = useId();
  const isInvalid = error !== null;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className={`field-box ${className} ${isInvalid ? 'is-invalid' : ''}`}>
        {start}
        <input
          id={id}
          autoComplete="off"
          spellCheck={false}
          {...rest}
          aria-invalid={isInvalid || undefined}
          aria-describedby={`${id}-hint`}
        />
        {end}
      </div>
      <p
        id={`${id}-hint`}
        className={`small ${isInvalid ? 'field-error' : 'soft'}`}
        role={isInvalid ? 'alert' : undefined}
      >
        {error ?? hint}
      </p>
    </div>
  );
}

interface PasswordFieldProps {
  password: string | undefined;
  /**
   * Called with the typed text even while it is too short, so that nothing is published unprotected by mistake; with `undefined`
   * when the field is empty.
   */
  onPassword: (password: string | undefined) => void;
  hint?: string | undefined;
}

/** Input for the password of a site. */
export function PasswordField({ password, onPassword, hint }: PasswordFieldProps) {
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
      hint={error ?? hint ?? 'Visitors need this password. Leave empty for none.'}
      onBlur={() => setBlurred(true)}
      onChange={(event) => {
        setBlurred(false);
        onPassword(event.target.value || undefined);
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

interface LabelsFieldProps {
  labels: readonly string[];
  onChange: (labels: string[]) => void;
  label?: string;
  /** Called for Enter in the empty input. */
  onSubmit?: () => void;
  autoFocus?: boolean;
}

/** Edits labels as chips: Enter, comma or space adds the typed label, Backspace removes the last one. */
export function LabelsField({ labels, onChange, label = 'Labels', onSubmit, autoFocus }: LabelsFieldProps) {
  const [text, setText] = useState('');
  const [error, setError] = useState<string | null>(null);
  const add = () => {
    const typed = text.trim();
    if (typed === '') return;
    const reason = labels.length >= MAX_LABELS ? `At most ${MAX_LABELS} labels are allowed.` : labelError(typed);
    setError(reason);
    if (reason !== null) return;
    if (!labels.includes(typed)) onChange([...labels, typed]);
    setText('');
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter' || event.key === ',' || event.key === ' ') {
      event.preventDefault();
      if (event.key === 'Enter' && text === '') onSubmit?.();
      else add();
    } else if (event.key === 'Backspace' && text === '' && labels.length > 0) onChange(labels.slice(0, -1));
  };
  return (
    <Field
      label={label}
      className="labels-box"
      value={text}
      autoFocus={autoFocus}
      error={error}
      hint="Press Enter after each label."
      onChange={(event) => {
        setText(event.target.value);
        setError(null);
      }}
      onKeyDown={onKeyDown}
      onBlur={add}
      start={labels.map((each) => (
        <span key={each} className="chip">
          {each}
          <button
            type="button"
            aria-label={`Remove label ${each}`}
            onClick={() => onChange(labels.filter((other) => other !== each))}
          >
            <X size={12} aria-hidden />
          </button>
        </span>
      ))}
    />
  );
}

/** Read-only labels. */
export function Chips({ labels }: { labels: readonly string[] }) {
  if (labels.length === 0) return null;
  return (
    <span className="chips" title={labels.join(', ')}>
      {labels.map((label) => (
        <span key={label} className="chip">
          {label}
        </span>
      ))}
    </span>
  );
}
