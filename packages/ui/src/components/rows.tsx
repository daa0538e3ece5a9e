import './rows.css';
import { type ReactNode, useId } from 'react';

export function Section({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className="settings" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <div className="settings-box">{children}</div>
    </section>
  );
}

/** A list in a box, with lines between its items. The items are `li` elements. */
export function BoxList({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className="settings-box" aria-label={label}>
      {children}
    </ul>
  );
}

interface RowProps {
  /** A string is shown in the style of a name; an element is shown without change. */
  name: ReactNode;
  hint?: ReactNode;
  actions?: ReactNode;
}

export function Row({ name, hint, actions }: RowProps) {
  return (
    <div className="settings-row">
      <div className="settings-text">
        {typeof name === 'string' ? <p className="name clip selectable">{name}</p> : name}
        {hint && <p className="small soft">{hint}</p>}
      </div>
      {actions}
    </div>
  );
}

interface SettingProps {
  name: string;
  hint: string;
  /** Returns the control, which uses the ids of its label and its hint. */
  children: (id: string, hintId: string) => ReactNode;
}

export function Setting({ name, hint, children }: SettingProps) {
  const id = useId();
  return (
    <div className="settings-row">
      <div className="settings-text">
        <label className="name" htmlFor={id}>
          {name}
        </label>
        <p id={`${id}-hint`} className="small soft">
          {hint}
        </p>
      </div>
      {children(id, `${id}-hint`)}
    </div>
  );
}

interface SwitchRowProps {
  name: string;
  hint: string;
  isOn: boolean;
  disabled?: boolean;
  onChange: (isOn: boolean) => void;
}

export function SwitchRow({ name, hint, isOn, disabled, onChange }: SwitchRowProps) {
  return (
    <Setting name={name} hint={hint}>
      {(id, hintId) => (
        <input
          id={id}
          type="checkbox"
          role="switch"
          className="switch"
          checked={isOn}
          disabled={disabled}
          aria-describedby={hintId}
          onChange={(event) => onChange(event.target.checked)}
        />
      )}
    </Setting>
  );
}
