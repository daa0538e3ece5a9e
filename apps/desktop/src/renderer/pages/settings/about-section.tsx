import { Button } from '../../components/button.tsx';
import { useShell } from '../../state/shell.ts';
import { useApp } from '../../state/store.ts';
import { Section } from './rows.tsx';

/** The app's version, available updates, and where keys are stored. */
export function AboutSection() {
  const { desktop, ask } = useShell();
  const about = useApp('about');
  const update = useApp('update');
  const { keysKept } = useApp('session');
  return (
    <Section title="About">
      <div className="settings-row">
        <div className="settings-words">
          <p className="name selectable">Berth {about.version}</p>
          <p className="small soft">
            {update.is === 'none' && 'There is no newer version that is known of.'}
            {update.is === 'downloading' &&
              `Version ${update.version} is being downloaded: ${Math.round(update.percent)} %.`}
            {update.is === 'ready' && `Version ${update.version} is taken when Berth restarts.`}
          </p>
        </div>
        {update.is === 'ready' && <Button onClick={() => void ask(desktop.commands.restartToUpdate())}>Restart</Button>}
      </div>
      <div className="settings-row">
        <div className="settings-words">
          <p className="name">Where keys are kept</p>
          <p className="small soft">
            {keysKept === 'system'
              ? 'In the keychain of this system. No window, this one included, ever sees them.'
              : 'In memory, until Berth quits: this system has no keychain that would protect them. You sign in again after each start.'}
          </p>
        </div>
      </div>
    </Section>
  );
}
