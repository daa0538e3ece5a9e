import { Button } from '../../components/button.tsx';
import { useShell } from '../../state/shell.ts';
import { useAppState } from '../../state/store.ts';
import { Section } from './rows.tsx';

/** The app's version, available updates, and where keys are stored. */
export function AboutSection() {
  const { desktop, ask } = useShell();
  const about = useAppState('about');
  const update = useAppState('update');
  const { keysKept } = useAppState('session');
  return (
    <Section title="About">
      <div className="settings-row">
        <div className="settings-text">
          <p className="name selectable">Berth {about.version}</p>
          <p className="small soft">
            {update.is === 'none' && 'You’re up to date.'}
            {update.is === 'downloading' && `Downloading version ${update.version}… ${Math.round(update.percent)}%`}
            {update.is === 'ready' && `Version ${update.version} installs when you restart.`}
          </p>
        </div>
        {update.is === 'ready' && <Button onClick={() => void ask(desktop.commands.restartToUpdate())}>Restart</Button>}
      </div>
      <div className="settings-row">
        <div className="settings-text">
          <p className="name">Key storage</p>
          <p className="small soft">
            {keysKept === 'system'
              ? 'API keys are stored in your system’s keychain. The window cannot read them.'
              : 'API keys are kept in memory until Berth quits, because this system has no keychain. You must sign in again after each start.'}
          </p>
        </div>
      </div>
    </Section>
  );
}
