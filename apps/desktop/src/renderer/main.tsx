import '@berth/ui/styles/tokens.css';
import '@berth/ui/styles/base.css';
import './styles/window.css';
import { createQueryClient } from '@berth/ui/state/query';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import type { DesktopApi } from '../shared/contract.ts';
import { App } from './shell/shell.tsx';
import { openStore, StoreContext } from './state/store.ts';

declare global {
  interface Window {
    /** The page's only access to the app. The preload exposes it. */
    readonly desktop: DesktopApi;
  }
}

const { desktop } = window;
createRoot(document.getElementById('root')!).render(
  <QueryClientProvider client={createQueryClient()}>
    <StoreContext value={openStore(desktop)}>
      <App desktop={desktop} />
    </StoreContext>
  </QueryClientProvider>,
);
