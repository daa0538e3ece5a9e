import { DomainListPage } from '@berth/ui/pages/domains/domain-list-page';
import { AccountGate } from '../shell/account-gate.tsx';

export default function ConsoleDomainsPage() {
  return (
    <AccountGate title="Domains" invitation="Sign in to see your domains.">
      <DomainListPage />
    </AccountGate>
  );
}
