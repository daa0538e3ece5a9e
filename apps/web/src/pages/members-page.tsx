import { AccountGate } from '../shell/account-gate.tsx';

export default function MembersPage() {
  return <AccountGate title="Members" invitation="Sign in to see the members of your account." />;
}
