import '@berth/ui/styles/tokens.css';
import '@berth/ui/styles/base.css';
import './styles/window.css';
import { createQueryClient } from '@berth/ui/state/query';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { App } from './shell/shell.tsx';
import { openStore, StoreContext } from './state/store.ts';

const { desktop } = window;
createRoot(document.getElementById('root')!).render(
  <QueryClientProvider client={createQueryClient()}>
    <StoreContext value={openStore(desktop)}>
      <App desktop={desktop} />
    </StoreContext>
  </QueryClientProvider>,
);
