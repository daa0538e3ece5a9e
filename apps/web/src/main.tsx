import './jitless.ts';
import '@berth/ui/styles/tokens.css';
import '@berth/ui/styles/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { AccountProvider } from './account/account-provider.tsx';
import { DropsProvider } from './drop/drops-context.tsx';
import { Shell } from './shell/shell.tsx';
import { takeLinkSecret } from './sign-in/link-secret.ts';
import { ProveProvider } from './sign-in/prove.tsx';
import { SessionProvider } from './state/session.tsx';

takeLinkSecret();

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <SessionProvider>
      <AccountProvider>
        <ProveProvider>
          <DropsProvider>
            <Shell />
          </DropsProvider>
        </ProveProvider>
      </AccountProvider>
    </SessionProvider>
  </StrictMode>,
);
