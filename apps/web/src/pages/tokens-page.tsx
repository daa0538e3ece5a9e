import { AccountGate } from '../shell/account-gate.tsx';

export default function TokensPage() {
  return <AccountGate title="Tokens" invitation="Sign in to see and make tokens." />;
}
