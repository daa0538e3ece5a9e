import { AccountGate } from '../shell/account-gate.tsx';
import { TokensPage } from './tokens/tokens-page.tsx';

export default function ConsoleTokensPage() {
  return (
    <AccountGate title="Tokens" invitation="Sign in to see your tokens.">
      <TokensPage />
    </AccountGate>
  );
}
