import './settings-page.css';
import { PageFrame } from '../../components/page.tsx';
import { AboutSection } from './about-section.tsx';
import { AccountSection } from './account-section.tsx';
import { AppSection } from './app-section.tsx';
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
