import './settings-page.css';
import { PageFrame } from '../../components/page.tsx';
import { AboutSection } from './about-section.tsx';
import { AccountSection } from './account-section.tsx';
import { AppSection } from './app-section.tsx';
import { ServersSection } from './servers-section.tsx';

/** Account, servers, and how the app behaves. */
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
