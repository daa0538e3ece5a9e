import { SitePage } from '@berth/ui/pages/sites/site-page';
import { useParams } from 'wouter';
import { AccountGate } from '../shell/account-gate.tsx';

export default function ConsoleSitePage() {
  const { site } = useParams<{ site: string }>();
  return (
    <AccountGate title={site} invitation="Sign in to see this site.">
      <SitePage key={site} site={site} />
    </AccountGate>
  );
}
