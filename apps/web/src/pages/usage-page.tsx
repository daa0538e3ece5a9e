import { AccountGate } from '../shell/account-gate.tsx';
import { UsagePage } from './usage/usage-page.tsx';

export default function ConsoleUsagePage() {
  return (
    <AccountGate title="Usage" invitation="Sign in to see how much of your plan you use.">
      <UsagePage />
    </AccountGate>
  );
}
