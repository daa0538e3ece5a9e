import { useId } from 'react';
import type { Settings } from '../../../shared/settings.ts';
import { useShell } from '../../state/shell.ts';
import { useAppState } from '../../state/store.ts';
import { Section, Setting, SwitchRow } from './rows.tsx';

const THEMES = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;
const MAX_VERSIONS = 50;

/** Appearance and behaviour of the app. */
export function AppSection() {
  const { commands, ask } = useShell();
  const settings = useAppState('settings');
  const { canOpenAtLogin, tray, platform } = useAppState('about');
  const change = (changed: Partial<Settings>) => void ask(commands.changeSettings(changed));
  const trayName = platform === 'darwin' ? 'menu bar' : 'tray';
  return (
    <>
      <Section title="Publishing">
        <SwitchRow
          name="Copy links automatically"
          hint="Copies the link to the clipboard when the site is live."
          isOn={settings.copyLinks}
          onChange={(copyLinks) => change({ copyLinks })}
        />
        <SwitchRow
          name="Notifications"
          hint="Notify me when a deploy finishes in the background."
          isOn={settings.notifications}
          onChange={(notifications) => change({ notifications })}
        />
        <KeepVersions value={settings.keepVersions} onChange={(keepVersions) => change({ keepVersions })} />
      </Section>
      <Section title="App">
        <Theme value={settings.theme} onChange={(theme) => change({ theme })} />
        <SwitchRow
          name={`Stay in the ${trayName} when closed`}
          hint={
            tray
              ? `Keeps watching. Quit from the ${trayName}.`
              : `This system has no ${trayName}, so closing the window quits Berth.`
          }
          isOn={tray && settings.closeToTray}
          disabled={!tray}
          onChange={(closeToTray) => change({ closeToTray })}
        />
        <SwitchRow
          name="Start at login"
          hint={canOpenAtLogin ? 'Starts hidden and watches your folders.' : 'This system cannot start Berth at login.'}
          isOn={canOpenAtLogin && settings.openAtLogin}
          disabled={!canOpenAtLogin}
          onChange={(openAtLogin) => change({ openAtLogin })}
        />
      </Section>
    </>
  );
}

function Theme({ value, onChange }: { value: Settings['theme']; onChange: (theme: Settings['theme']) => void }) {
  const id = useId();
  return (
    <div className="settings-row">
      <p id={id} className="settings-text">
        <span className="name">Appearance</span>
      </p>
      <div className="segments" role="radiogroup" aria-labelledby={id}>
        {THEMES.map(([theme, label]) => (
          <label key={theme}>
            <input type="radio" name={id} checked={value === theme} onChange={() => onChange(theme)} />
            {label}
          </label>
        ))}
      </div>
    </div>
  );
}

function KeepVersions({ value, onChange }: { value: number; onChange: (count: number) => void }) {
  const save = (input: HTMLInputElement) => {
    const wanted = Math.round(input.valueAsNumber);
    if (!(wanted >= 1 && wanted <= MAX_VERSIONS)) input.value = String(value);
    else if (wanted !== value) onChange(wanted);
  };
  return (
    <Setting name="Versions to keep" hint="For each watched folder. Older versions are deleted after the next deploy.">
      {(id, hintId) => (
        <div className="field-box number">
          <input
            id={id}
            type="number"
            min={1}
            max={MAX_VERSIONS}
            // Uncontrolled and saved on blur: while “12” is typed, the value is 1 for a moment.
            key={value}
            defaultValue={value}
            aria-describedby={hintId}
            onBlur={(event) => save(event.target)}
            onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
          />
        </div>
      )}
    </Setting>
  );
}
