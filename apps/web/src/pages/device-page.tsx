import { AccountGate } from '../shell/account-gate.tsx';

export default function DevicePage() {
  return <AccountGate title="Approve a device" invitation="Sign in to let a device use your account." />;
}
