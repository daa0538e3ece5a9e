import { DomainPage } from '@berth/ui/pages/domains/domain-page';
import { useParams } from 'wouter';
import { AccountGate } from '../shell/account-gate.tsx';

export default function ConsoleDomainPage() {
  const { domain } = useParams<{ domain: string }>();
  return (
    <AccountGate title={domain} invitation="Sign in to see this domain.">
      <DomainPage key={domain} domain={domain} />
    </AccountGate>
  );
}
