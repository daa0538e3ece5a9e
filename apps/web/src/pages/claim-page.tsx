import { AccountGate } from '../shell/account-gate.tsx';

export default function ClaimPage() {
  return <AccountGate title="Keep this site" invitation="Sign in to keep this site in your account." />;
}
