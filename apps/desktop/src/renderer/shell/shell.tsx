import './shell.css';
import { CloudAlert } from 'lucide-react';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { DesktopApi, Page } from '../../shared/contract.ts';
import { Empty } from '../components/page.tsx';
import { ActivityPage } from '../pages/activity/activity-page.tsx';
import { DomainsPage } from '../pages/domains/domains-page.tsx';
import { FoldersPage } from '../pages/folders/folders-page.tsx';
import { WatchDialog } from '../pages/folders/watch-dialog.tsx';
import { PublishPage } from '../pages/publish/publish-page.tsx';
import { SettingsPage } from '../pages/settings/settings-page.tsx';
import { SitesPage } from '../pages/sites/sites-page.tsx';
import { NextDropContext, useOptions } from '../state/options.ts';
import { createShell, type Route, ShellContext, type WatchSource } from '../state/shell.ts';
import { useAppState, useSnapshot, useStore } from '../state/store.ts';
import { Announcements } from './announcements.tsx';
import { DropOverlay } from './drop-overlay.tsx';
import { keepFocus } from './keep-focus.ts';
import { Sidebar } from './sidebar.tsx';
import { Toasts, useToasts } from './toasts.tsx';

const PAGES: Record<Page, () => React.ReactNode> = {
  publish: PublishPage,
  folders: FoldersPage,
  sites: SitesPage,
  domains: DomainsPage,
  activity: ActivityPage,
  settings: SettingsPage,
};

export function App({ desktop }: { desktop: DesktopApi }) {
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

function Shell({ desktop }: { desktop: DesktopApi }) {
  const store = useStore();
  const { toasts, showToast, dismiss } = useToasts(store);
  const { platform } = useAppState('about');
  // The user changes the route in the window, from the menu or the tray, or with a link.
  const [route, navigate] = useState<Route>({ page: 'publish' });
  useEffect(() => store.onNavigate(navigate), [store]);
  // A drop uses the options at the time of the publish, because they may change while a system dialog or a message is open.
  const { nextDrop, latest: options } = useOptions(desktop);
  const [watchQueue, setWatchQueue] = useState<readonly WatchSource[]>([]);
  const openWatch = useCallback(
    (sources: readonly WatchSource[]) => setWatchQueue((before) => [...before, ...sources]),
    [],
  );

  const shell = useMemo(
    () => createShell({ ...desktop, route, navigate, showToast, options, openWatch }),
    [desktop, route, showToast, options, openWatch],
  );

  useEffect(keepFocus, []);
  const CurrentPage = PAGES[route.page];
  const [source] = watchQueue;
  return (
    <ShellContext value={shell}>
      <div className="shell" data-platform={platform}>
        <Sidebar />
        <NextDropContext value={nextDrop}>
          <main key={route.page} aria-label={route.page}>
            <CurrentPage />
          </main>
        </NextDropContext>
      </div>
      {source && (
        <WatchDialog
          // The name is not a key, because many folders are called “dist”.
          key={'grant' in source.of ? source.of.grant : source.of.publishing}
          source={source}
          onClose={() => setWatchQueue((before) => before.filter((each) => each !== source))}
        />
      )}
      <DropOverlay />
      <Toasts toasts={toasts} dismiss={dismiss} />
      <Announcements />
    </ShellContext>
  );
}
