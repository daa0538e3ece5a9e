import { AccountGate } from '../shell/account-gate.tsx';

export default function DomainsPage() {
  return <AccountGate title="Domains" invitation="Sign in to see your domains." />;
}
