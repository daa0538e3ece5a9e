import { AccountGate } from '../shell/account-gate.tsx';

export default function SitesPage() {
  return <AccountGate title="Sites" invitation="Sign in to see your sites." />;
}
