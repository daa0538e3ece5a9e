import './styles/tokens.css';
import './styles/base.css';
import { createRoot } from 'react-dom/client';
import { desktop } from './desktop.ts';
import { App } from './shell/app.tsx';
import { openStore } from './state/store.ts';

createRoot(document.getElementById('root')!).render(<App desktop={desktop} store={openStore(desktop)} />);
