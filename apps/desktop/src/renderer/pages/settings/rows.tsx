import { type ReactNode, useId } from 'react';

/** A group of settings with a heading. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className="settings" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <div className="settings-box">{children}</div>
    </section>
  );
}

interface RowProps {
  /** A text is shown as the name; an element as it is. */
  name: ReactNode;
  hint?: ReactNode;
  /** Shown at the end of the row. */
  children?: ReactNode;
}

/** A name, a line about it, and the buttons for it. */
export function Row({ name, hint, children }: RowProps) {
  return (
    <div className="settings-row">
      <div className="settings-text">
        {typeof name === 'string' ? <p className="name clip selectable">{name}</p> : name}
        {hint && <p className="small soft">{hint}</p>}
      </div>
      {children}
    </div>
  );
}

interface SettingProps {
  name: string;
  hint: string;
  /** The control. Its id and the id of its hint connect it to the texts. */
  children: (id: string, hintId: string) => ReactNode;
}

/** A setting: its name and a hint beside its control. */
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

/** A setting that is on or off. */
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
