import { KeyRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { useAccount } from '../state/account.ts';
import { useShell } from '../state/shell.ts';
import { Button } from './button.tsx';
import { Empty } from './empty.tsx';

/** Shows its children when signed in, otherwise a prompt to sign in. @param what Names the content, such as `sites`. */
export function ForAccount({ what, children }: { what: string; children: ReactNode }) {
  const { navigate } = useShell();
  const { hasKey, server } = useAccount();
  if (hasKey) return children;
  const isRefused = server.signIn.is === 'refused';
  return (
    <Empty
      icon={KeyRound}
      title={isRefused ? 'Your key no longer works' : `Sign in to see your ${what}`}
      text={isRefused ? 'Sign in again to continue.' : 'Sites published without an account are on the Publish page.'}
    >
      <Button variant="primary" onClick={() => navigate({ page: 'settings' })}>
        Sign in
      </Button>
    </Empty>
  );
}
