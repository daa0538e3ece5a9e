import './app.css';
import { CloudAlert } from 'lucide-react';
import type { DesktopApi } from '../../shared/contract.ts';
import { Empty } from '../components/empty.tsx';
import { type Store, StoreContext, useSnapshot } from '../state/store.ts';
import { Shell } from './shell.tsx';

/** The root component. */
export function App({ desktop, store }: { desktop: DesktopApi; store: Store }) {
  return (
    <StoreContext value={store}>
      <Window desktop={desktop} />
    </StoreContext>
  );
}

function Window({ desktop }: { desktop: DesktopApi }) {
  const snapshot = useSnapshot();
  if (snapshot.is === 'ready') return <Shell desktop={desktop} />;
  if (snapshot.is === 'loading') return <div className="starting" role="status" aria-label="Starting" />;
  return (
    <main className="starting">
      <h1 className="hidden">Berth</h1>
      <Empty
        icon={CloudAlert}
        title="Berth could not start"
        text={`${snapshot.problem.message} ${snapshot.problem.next ?? ''}`}
      />
    </main>
  );
}
