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

/** A setting that is on or off. */
export function SwitchRow({
  name,
  hint,
  isOn,
  disabled,
  onChange,
}: {
  name: string;
  hint: string;
  isOn: boolean;
  disabled?: boolean;
  onChange: (isOn: boolean) => void;
}) {
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
      <input
        id={id}
        type="checkbox"
        role="switch"
        className="switch"
        checked={isOn}
        disabled={disabled}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange(event.target.checked)}
      />
    </div>
  );
}
