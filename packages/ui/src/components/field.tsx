import './field.css';
import { Eye, EyeOff, X } from 'lucide-react';
import { type ComponentProps, type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { labelError, MAX_LABELS, passwordError } from '../text/validate.ts';
import { IconButton } from './button.tsx';

interface FieldProps extends ComponentProps<'input'> {
  label: string;
  hint?: ReactNode;
  error?: string | null;
  /** Why the value is invalid, shown only after the user leaves the field, not while the user types. */
  lateError?: string | null;
  leading?: ReactNode;
  trailing?: ReactNode;
  onText: (text: string) => void;
}

export function Field({ error: earlyError, lateError, ...props }: FieldProps) {
  const { label, hint, leading, trailing, className = '', onText, ...rest } = props;
  const id = useId();
  const [isBlurred, setBlurred] = useState(false);
  const error = earlyError ?? (isBlurred ? lateError : null) ?? null;
  const isInvalid = error !== null;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className={`field-box ${className} ${isInvalid ? 'is-invalid' : ''}`}>
        {leading}
        <input
          id={id}
          autoComplete="off"
          spellCheck={false}
          onBlur={() => setBlurred(true)}
          {...rest}
          onChange={(event) => {
            setBlurred(false);
            onText(event.target.value);
          }}
          aria-invalid={isInvalid || undefined}
          aria-describedby={`${id}-hint`}
        />
        {trailing}
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
  /** Called even while the password is too short, so that no site is published without it. `undefined`: the field is empty. */
  onPassword: (password: string | undefined) => void;
  hint?: string | undefined;
}

export function PasswordField({ password, onPassword, hint }: PasswordFieldProps) {
  const error = password === undefined ? null : passwordError(password);
  return (
    <SecretField
      label="Password"
      autoComplete="new-password"
      value={password ?? ''}
      lateError={error}
      hint={error ?? hint ?? 'Visitors need this password. Leave the field empty for no password.'}
      onText={(text) => onPassword(text || undefined)}
    />
  );
}

/** A field whose text a button shows. */
export function SecretField(props: FieldProps) {
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

interface LabelsFieldProps {
  labels: readonly string[];
  onChange: (labels: string[]) => void;
  label?: string;
  /** Called when the user presses Enter in the empty input. */
  onSubmit?: () => void;
  autoFocus?: boolean;
}

/** Edits labels. Enter, comma or space adds the typed label; Backspace removes the last label. */
export function LabelsField({ labels, onChange, label = 'Labels', onSubmit, autoFocus }: LabelsFieldProps) {
  const [text, setText] = useState('');
  const [error, setError] = useState<string | null>(null);
  const addLabel = () => {
    const typedLabel = text.trim();
    if (typedLabel === '') return;
    const reason = labels.length >= MAX_LABELS ? `At most ${MAX_LABELS} labels are allowed.` : labelError(typedLabel);
    setError(reason);
    if (reason !== null) return;
    if (!labels.includes(typedLabel)) onChange([...labels, typedLabel]);
    setText('');
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter' || event.key === ',' || event.key === ' ') {
      event.preventDefault();
      if (event.key === 'Enter' && text === '') onSubmit?.();
      else addLabel();
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
      onText={(typed) => {
        setText(typed);
        setError(null);
      }}
      onKeyDown={onKeyDown}
      onBlur={addLabel}
      leading={labels.map((each) => (
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
