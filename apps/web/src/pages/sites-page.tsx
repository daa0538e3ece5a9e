import { SitesPage } from '@berth/ui/pages/sites/sites-page';
import { AccountGate } from '../shell/account-gate.tsx';

export default function ConsoleSitesPage() {
  return (
    <AccountGate title="Sites" invitation="Sign in to see your sites.">
      <SitesPage />
    </AccountGate>
  );
}
