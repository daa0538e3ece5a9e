import { AccountGate } from '../shell/account-gate.tsx';

export default function ActivityPage() {
  return <AccountGate title="Activity" invitation="Sign in to see what happened in your account." />;
}
