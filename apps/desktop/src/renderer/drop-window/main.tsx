import '@berth/ui/styles/tokens.css';
import '@berth/ui/styles/base.css';
import '../styles/window.css';
import { createRoot } from 'react-dom/client';
import { openStore, StoreContext } from '../state/store.ts';
import { DropWindow } from './drop-window.tsx';

const { desktop } = window;
createRoot(document.getElementById('root')!).render(
  <StoreContext value={openStore(desktop)}>
    <DropWindow desktop={desktop} />
  </StoreContext>,
);
