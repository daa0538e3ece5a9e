import './labels-field.css';
import { X } from 'lucide-react';
import { type KeyboardEvent, useId, useState } from 'react';
import { labelError, MAX_LABELS } from '../text/validate.ts';

/** Edits labels as chips: Enter, comma or space adds the typed label, Backspace removes the last one. */
export function LabelsField({
  labels,
  onChange,
  label = 'Labels',
  hint = 'Press Enter after each label.',
  onSubmit,
  autoFocus,
}: {
  labels: readonly string[];
  onChange: (labels: string[]) => void;
  label?: string;
  hint?: string;
  /** Called for Enter in the empty input. */
  onSubmit?: () => void;
  autoFocus?: boolean;
}) {
  const id = useId();
  const [text, setText] = useState('');
  const [error, setError] = useState<string | null>(null);

  const take = (typed: string): boolean => {
    const wanted = typed.trim();
    if (wanted === '') return true;
    const reason = labels.length >= MAX_LABELS ? `At most ${MAX_LABELS} labels are allowed.` : labelError(wanted);
    setError(reason);
    if (reason !== null) return false;
    if (!labels.includes(wanted)) onChange([...labels, wanted]);
    setText('');
    return true;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter' || event.key === ',' || event.key === ' ') {
      event.preventDefault();
      if (event.key === 'Enter' && text === '') onSubmit?.();
      else take(text);
    } else if (event.key === 'Backspace' && text === '' && labels.length > 0) onChange(labels.slice(0, -1));
  };

  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className={error === null ? 'field-box labels-box' : 'field-box labels-box is-invalid'}>
        {labels.map((each) => (
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
        <input
          id={id}
          value={text}
          autoFocus={autoFocus}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={error !== null || undefined}
          aria-describedby={`${id}-hint`}
          onChange={(event) => {
            setText(event.target.value);
            setError(null);
          }}
          onKeyDown={onKeyDown}
          onBlur={() => take(text)}
        />
      </div>
      <p
        id={`${id}-hint`}
        className={`small ${error === null ? 'soft' : 'field-error'}`}
        role={error === null ? undefined : 'alert'}
      >
        {error ?? hint}
      </p>
    </div>
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
