import './settings-page.css';
import { Button } from '../../components/button.tsx';
import { PageFrame } from '../../components/page.tsx';
import { useShell } from '../../state/shell.ts';
import { useAppState } from '../../state/store.ts';
import { AccountSection } from './account-section.tsx';
import { AppSection } from './app-section.tsx';
import { Row, Section } from './rows.tsx';
import { ServersSection } from './servers-section.tsx';

/** Settings of the account, the servers and the app. */
export function SettingsPage() {
  return (
    <PageFrame title="Settings">
      <AccountSection />
      <ServersSection />
      <AppSection />
      <AboutSection />
    </PageFrame>
  );
}

/** The app's version, available updates, and where keys are stored. */
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
      >
        {update.is === 'ready' && <Button onClick={() => void ask(commands.restartToUpdate())}>Restart</Button>}
      </Row>
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
