import { useEffect, useMemo, useState } from 'react';
import type { DesktopApi, Page } from '../../shared/contract.ts';
import { ActivityPage } from '../pages/activity/activity-page.tsx';
import { DomainsPage } from '../pages/domains/domains-page.tsx';
import { FoldersPage } from '../pages/folders/folders-page.tsx';
import { WatchDialog } from '../pages/folders/watch-dialog.tsx';
import { PublishPage } from '../pages/publish/publish-page.tsx';
import { SettingsPage } from '../pages/settings/settings-page.tsx';
import { SitesPage } from '../pages/sites/sites-page.tsx';
import { NextDropContext } from '../state/options.ts';
import { ShellContext, type WatchSource } from '../state/shell.ts';
import { useAppState } from '../state/store.ts';
import { Announcements } from './announcements.tsx';
import { createShell } from './create-shell.ts';
import { DropOverlay } from './drop-overlay.tsx';
import { keepFocus } from './keep-focus.ts';
import { Sidebar } from './sidebar.tsx';
import { Toasts, useToasts } from './toasts.tsx';
import { useOptions } from './use-options.ts';
import { useRoute } from './use-route.ts';

const PAGES: Record<Page, () => React.ReactNode> = {
  publish: PublishPage,
  folders: FoldersPage,
  sites: SitesPage,
  domains: DomainsPage,
  activity: ActivityPage,
  settings: SettingsPage,
};

/** The window once the state is loaded: sidebar, page, and overlays. */
export function Shell({ desktop }: { desktop: DesktopApi }) {
  const { toasts, showToast, dismiss } = useToasts(desktop);
  const { platform } = useAppState('about');
  const { route, navigate } = useRoute(desktop);
  // A drop uses the options at the time it is published; they may change while a system dialog is open, or before a message is answered.
  const { nextDrop, latest } = useOptions(desktop);
  const [waiting, setWaiting] = useState<readonly WatchSource[]>([]);

  const shell = useMemo(
    () =>
      createShell({
        desktop,
        route,
        navigate,
        showToast,
        options: latest,
        openWatch: (sources) => setWaiting((before) => [...before, ...sources]),
      }),
    [desktop, route, navigate, showToast, latest],
  );

  useEffect(keepFocus, []);

  const CurrentPage = PAGES[route.page];
  const [source] = waiting;
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
          // Not keyed by name: many folders are called “dist”.
          key={'grant' in source.of ? source.of.grant : source.of.publishing}
          source={source}
          onClose={() => setWaiting((before) => before.filter((each) => each !== source))}
        />
      )}
      <DropOverlay />
      <Toasts toasts={toasts} dismiss={dismiss} />
      <Announcements />
    </ShellContext>
  );
}
