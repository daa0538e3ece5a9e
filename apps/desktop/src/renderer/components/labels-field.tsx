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
  const { text, error, type, add, onKeyDown } = useLabelInput(labels, onChange, onSubmit);
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
          onChange={(event) => type(event.target.value)}
          onKeyDown={onKeyDown}
          onBlur={() => add(text)}
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

/** The label that is being typed: when it is added, and why it cannot be. */
function useLabelInput(
  labels: readonly string[],
  onChange: (labels: string[]) => void,
  onSubmit: (() => void) | undefined,
) {
  const [text, setText] = useState('');
  const [error, setError] = useState<string | null>(null);
  const type = (typed: string) => {
    setText(typed);
    setError(null);
  };
  const add = (typed: string) => {
    const label = typed.trim();
    if (label === '') return;
    const reason = labels.length >= MAX_LABELS ? `At most ${MAX_LABELS} labels are allowed.` : labelError(label);
    setError(reason);
    if (reason !== null) return;
    if (!labels.includes(label)) onChange([...labels, label]);
    setText('');
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter' || event.key === ',' || event.key === ' ') {
      event.preventDefault();
      if (event.key === 'Enter' && text === '') onSubmit?.();
      else add(text);
    } else if (event.key === 'Backspace' && text === '' && labels.length > 0) onChange(labels.slice(0, -1));
  };
  return { text, error, type, add, onKeyDown };
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
