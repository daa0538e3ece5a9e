import { AccountGate } from '../shell/account-gate.tsx';

export default function AccountPage() {
  return <AccountGate title="Account" invitation="Sign in to see your account." />;
}
