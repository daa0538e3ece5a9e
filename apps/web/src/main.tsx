import '@berth/ui/styles/tokens.css';
import '@berth/ui/styles/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { AccountProvider } from './account/account-provider.tsx';
import { DropsProvider } from './drop/drops-context.tsx';
import { Shell } from './shell/shell.tsx';
import { SessionProvider } from './state/session.tsx';

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <SessionProvider>
      <AccountProvider>
        <DropsProvider>
          <Shell />
        </DropsProvider>
      </AccountProvider>
    </SessionProvider>
  </StrictMode>,
);
