import '@berth/ui/styles/tokens.css';
import '@berth/ui/styles/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { AccountProvider } from './account/account-provider.tsx';
import { createDrops, type Drops } from './drop/drops.ts';
import { DropsProvider } from './drop/drops-context.tsx';
import { Shell } from './shell/shell.tsx';
import { takeLinkSecret } from './sign-in/link-secret.ts';
import { ProveProvider } from './sign-in/prove.tsx';
import { SessionProvider } from './state/session.tsx';

/** Shows the console at the address of the document. @returns A function that removes it, with everything that it has read. */
export function showConsole(element: HTMLElement, drops: Drops = createDrops()): () => void {
  takeLinkSecret();
  // A link that is pasted into a tab with the start page changes only the fragment.
  addEventListener('hashchange', takeLinkSecret);
  const root = createRoot(element);
  root.render(
    <StrictMode>
      <SessionProvider>
        <AccountProvider>
          <ProveProvider>
            <DropsProvider drops={drops}>
              <Shell />
            </DropsProvider>
          </ProveProvider>
        </AccountProvider>
      </SessionProvider>
    </StrictMode>,
  );
  return () => {
    removeEventListener('hashchange', takeLinkSecret);
    root.unmount();
  };
}
