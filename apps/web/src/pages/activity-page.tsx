import { ActivityPage } from '@berth/ui/pages/activity/activity-page';
import { AccountGate } from '../shell/account-gate.tsx';

export default function ConsoleActivityPage() {
  return (
    <AccountGate title="Activity" invitation="Sign in to see what happened in your account.">
      <ActivityPage />
    </AccountGate>
  );
}
