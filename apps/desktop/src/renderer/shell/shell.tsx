import './shell.css';
import { Toasts } from '@berth/ui/components/toasts';
import { AccountContext } from '@berth/ui/state/account';
import { BackendContext, SitesApiContext } from '@berth/ui/state/backend';
import { keepFocus } from '@berth/ui/state/keep-focus';
import { NavigationContext, type Place } from '@berth/ui/state/navigation';
import { NextDropContext } from '@berth/ui/state/next-drop';
import { NotesContext, useToasts } from '@berth/ui/state/toasts';
import { CloudAlert } from 'lucide-react';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { DesktopApi, Page } from '../../shared/contract.ts';
import { Empty } from '@berth/ui/components/page';
import { ActivityPage } from '@berth/ui/pages/activity/activity-page';
import { DomainListPage } from '@berth/ui/pages/domains/domain-list-page';
import { DomainPage } from '@berth/ui/pages/domains/domain-page';
import { SitePage } from '@berth/ui/pages/sites/site-page';
import { SitesPage } from '@berth/ui/pages/sites/sites-page';
import { SiteFoldersContext } from '@berth/ui/state/site-folders';
import { FoldersPage } from '../pages/folders/folders-page.tsx';
import { WatchDialog } from '../pages/folders/watch-dialog.tsx';
import { WatchManyDialog, type WatchManyProps } from '../pages/folders/watch-many-dialog.tsx';
import { PublishPage } from '../pages/publish/publish-page.tsx';
import { Welcome } from '../pages/welcome/welcome.tsx';
import { SettingsPage } from '../pages/settings/settings-page.tsx';
import { createBackend, createSitesApi } from '../backend.ts';
import { accountView } from '../state/account.ts';
import { useSiteFolders } from '../state/site-folders.ts';
import { useOptions } from '../state/next-drop.ts';
import { createShell, type Route, ShellContext, type WatchSource } from '../state/shell.ts';
import { useAppState, useSnapshot, useStore } from '../state/store.ts';
import { DropAnnouncements } from './drop-announcements.tsx';
import { DropOverlay } from './drop-overlay.tsx';
import { Sidebar } from './sidebar.tsx';
import { Starting, useEarlyDrops } from './starting.tsx';
import type { EarlyDrop } from './use-drop.ts';

const PAGES: Record<Page, (route: Route) => React.ReactNode> = {
  publish: () => <PublishPage />,
  folders: () => <FoldersPage />,
  sites: ({ site }) => (site === undefined ? <SitesPage /> : <SitePage key={site} site={site} />),
  domains: ({ domain }) => (domain === undefined ? <DomainListPage /> : <DomainPage key={domain} domain={domain} />),
  activity: () => <ActivityPage />,
  settings: () => <SettingsPage />,
};

/** The names of the pages for screen readers. */
const PAGE_NAMES: Record<Page, string> = {
  publish: 'Publish',
  folders: 'Folders',
  sites: 'Sites',
  domains: 'Domains',
  activity: 'Activity',
  settings: 'Settings',
};

/** Returns the route to a place. The app signs in on its settings page. */
function routeTo(place: Place): Route {
  if (typeof place !== 'object') return { page: place === 'sign-in' ? 'settings' : place };
  return 'site' in place ? { page: 'sites', site: place.site } : { page: 'domains', domain: place.domain };
}

export function App({ desktop }: { desktop: DesktopApi }) {
  const snapshot = useSnapshot();
  const earlyDrops = useEarlyDrops();
  if (snapshot.is === 'ready') return <Shell desktop={desktop} earlyDrops={earlyDrops} />;
  if (snapshot.is === 'loading') return <Starting className="starting" drops={earlyDrops} />;
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

function Shell({ desktop, earlyDrops }: { desktop: DesktopApi; earlyDrops: EarlyDrop[] }) {
  const store = useStore();
  const { toasts, dismiss, notes } = useToasts();
  useEffect(() => store.onProblem(({ problem }) => notes.showToast(problem)), [store, notes]);
  const { platform } = useAppState('about');
  const { welcomed } = useAppState('settings');
  // The user changes the route in the window, from the menu or the tray, or with a link.
  const [route, navigate] = useState<Route>({ page: 'publish' });
  useEffect(() => store.onNavigate(navigate), [store]);
  // A drop uses the options at the time of the publish, because they may change while a system dialog or a message is open.
  const { nextDrop, latest: options } = useOptions(desktop);
  // Each entry is opened in one dialog.
  const [watchQueue, setWatchQueue] = useState<readonly (readonly WatchSource[])[]>([]);
  const openWatch = useCallback(
    (sources: readonly WatchSource[]) => setWatchQueue((before) => [...before, sources]),
    [],
  );

  const shell = useMemo(
    () => createShell({ ...desktop, ...notes, route, navigate, options, openWatch }),
    [desktop, route, notes, options, openWatch],
  );

  const backend = useMemo(
    () => createBackend(desktop, (url) => void notes.ask(desktop.commands.openLink({ url }))),
    [desktop, notes],
  );
  const session = useAppState('session');
  const account = useMemo(() => accountView(session), [session]);
  const navigation = useMemo(
    () => ({
      navigate: (place: Place) => navigate(routeTo(place)),
      hrefOf: () => '#',
      target: route,
      pagesScroll: true,
      hasTabs: false,
    }),
    [route],
  );

  useEffect(keepFocus, []);
  const sitesApi = useMemo(() => createSitesApi(desktop), [desktop]);
  const folderOf = useSiteFolders(shell);
  const [watching] = watchQueue;
  return (
    <BackendContext value={backend}>
      <SitesApiContext value={sitesApi}>
        <SiteFoldersContext value={folderOf}>
          <AccountContext value={account}>
            <NotesContext value={notes}>
              <NavigationContext value={navigation}>
                <ShellContext value={shell}>
                  {welcomed ? (
                    <>
                      <div className="shell" data-platform={platform}>
                        <Sidebar />
                        <NextDropContext value={nextDrop}>
                          <main
                            key={[route.page, route.site, route.domain].join(' ')}
                            aria-label={PAGE_NAMES[route.page]}
                          >
                            {PAGES[route.page](route)}
                          </main>
                        </NextDropContext>
                      </div>
                      {watching && (
                        <WatchFolders
                          // The name is not a key, because many folders are called “dist”.
                          key={watchKey(watching)}
                          sources={watching}
                          onClose={() => setWatchQueue((before) => before.filter((each) => each !== watching))}
                          onRest={(rest) => setWatchQueue((before) => [...rest.map((each) => [each]), ...before])}
                        />
                      )}
                      <DropOverlay earlyDrops={earlyDrops} />
                    </>
                  ) : (
                    <Welcome />
                  )}
                  <Toasts toasts={toasts} dismiss={dismiss} />
                  <DropAnnouncements />
                </ShellContext>
              </NavigationContext>
            </NotesContext>
          </AccountContext>
        </SiteFoldersContext>
      </SitesApiContext>
    </BackendContext>
  );
}

function WatchFolders({ sources, ...rest }: WatchManyProps) {
  const [source] = sources;
  if (sources.length > 1) return <WatchManyDialog sources={sources} {...rest} />;
  return source === undefined ? null : <WatchDialog source={source} onClose={rest.onClose} />;
}

const watchKey = (sources: readonly WatchSource[]): string =>
  sources.map(({ of }) => ('grant' in of ? of.grant : of.publishing)).join(' ');
