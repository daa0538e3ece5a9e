import { AccountGate } from '../shell/account-gate.tsx';

export default function UsagePage() {
  return <AccountGate title="Usage" invitation="Sign in to see what your account uses." />;
}
