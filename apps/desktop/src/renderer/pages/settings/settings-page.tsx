import { useId } from 'react';
import type { Settings } from '../../../shared/settings.ts';
import { Button } from '@berth/ui/components/button';
import { PageFrame } from '@berth/ui/components/page';
import { useShell } from '../../state/shell.ts';
import { useAppState } from '../../state/store.ts';
import { Row, Section, Setting, SwitchRow } from '@berth/ui/components/rows';
import { AccountSection, ServersSection } from './server-sections.tsx';

export function SettingsPage() {
  return (
    <PageFrame title="Settings">
      <AccountSection />
      <ServersSection />
      <AppSections />
      <AboutSection />
    </PageFrame>
  );
}

function AboutSection() {
  const { commands, ask } = useShell();
  const { version } = useAppState('about');
  const update = useAppState('update');
  const { keysKept } = useAppState('session');
  return (
    <Section title="About">
      <Row
        name={`Berth ${version}`}
        hint={
          <>
            {update.is === 'none' && 'You’re up to date.'}
            {update.is === 'downloading' && `Downloading version ${update.version}… ${Math.round(update.percent)}%`}
            {update.is === 'ready' && `Version ${update.version} installs when you restart.`}
          </>
        }
        actions={
          update.is === 'ready' && <Button label="Restart" onClick={() => void ask(commands.restartToUpdate())} />
        }
      />
      <Row
        name={<p className="name">Key storage</p>}
        hint={
          keysKept === 'system'
            ? 'API keys are stored in your system’s keychain. The window cannot read them.'
            : 'API keys are kept in memory until Berth quits, because this system has no keychain. You must sign in again after each start.'
        }
      />
    </Section>
  );
}

const THEMES = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;
const MAX_VERSIONS = 50;

function AppSections() {
  const { commands, ask } = useShell();
  const settings = useAppState('settings');
  const { canOpenAtLogin, tray, platform } = useAppState('about');
  const changeSettings = (changed: Partial<Settings>) => void ask(commands.changeSettings(changed));
  const trayName = platform === 'darwin' ? 'menu bar' : 'tray';
  return (
    <>
      <Section title="Publishing">
        <SwitchRow
          name="Copy links automatically"
          hint="Copies the link to the clipboard when the site is live."
          isOn={settings.copyLinks}
          onChange={(copyLinks) => changeSettings({ copyLinks })}
        />
        <SwitchRow
          name="Notifications"
          hint="Notify me when a deploy finishes in the background."
          isOn={settings.notifications}
          onChange={(notifications) => changeSettings({ notifications })}
        />
        <KeepVersions value={settings.keepVersions} onChange={(keepVersions) => changeSettings({ keepVersions })} />
      </Section>
      <Section title="App">
        <Theme value={settings.theme} onChange={(theme) => changeSettings({ theme })} />
        <SwitchRow
          name={`Stay in the ${trayName} when closed`}
          hint={
            tray
              ? `Berth keeps watching folders. You can quit it from the ${trayName}.`
              : `This system has no ${trayName}, so closing the window quits Berth.`
          }
          isOn={tray && settings.closeToTray}
          disabled={!tray}
          onChange={(closeToTray) => changeSettings({ closeToTray })}
        />
        <SwitchRow
          name="Start at login"
          hint={canOpenAtLogin ? 'Berth starts hidden and keeps watching.' : 'This system cannot start Berth at login.'}
          isOn={canOpenAtLogin && settings.openAtLogin}
          disabled={!canOpenAtLogin}
          onChange={(openAtLogin) => changeSettings({ openAtLogin })}
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
  const saveNumber = (input: HTMLInputElement) => {
    const typedNumber = Math.round(input.valueAsNumber);
    if (!(typedNumber >= 1 && typedNumber <= MAX_VERSIONS)) input.value = String(value);
    else if (typedNumber !== value) onChange(typedNumber);
  };
  return (
    <Setting name="Versions to keep" hint="For each watched folder, older versions are deleted after the next deploy.">
      {(id, hintId) => (
        <div className="field-box number">
          <input
            id={id}
            type="number"
            min={1}
            max={MAX_VERSIONS}
            // The input saves its value on blur, because the value is 1 for a moment while the user types “12”.
            key={value}
            defaultValue={value}
            aria-describedby={hintId}
            onBlur={(event) => saveNumber(event.target)}
            onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
          />
        </div>
      )}
    </Setting>
  );
}
