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
import { ShellContext, type Shell as ShellApi, type WatchSource } from '../state/shell.ts';
import { useAppState } from '../state/store.ts';
import { optionsError } from '../text/validate.ts';
import { Announcements } from './announcements.tsx';
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

const OPTIONS_NEXT = 'Nothing was published. Change or clear the options of the next drop, then try again.';

/** The window once the state is loaded: sidebar, page, and overlays. */
export function Shell({ desktop }: { desktop: DesktopApi }) {
  const { toasts, showToast, dismiss } = useToasts(desktop);
  const { platform } = useAppState('about');
  const { route, navigate } = useRoute(desktop);
  // A drop uses the options at the time it is published; they may change while a system dialog is open, or before a message is answered.
  const { nextDrop, latest } = useOptions(desktop);
  const [waiting, setWaiting] = useState<readonly WatchSource[]>([]);

  const shell = useMemo((): ShellApi => {
    const ask: ShellApi['ask'] = async (asked) => {
      const answer = await asked;
      if (answer.ok) return { value: answer.value };
      showToast({ text: answer.problem.message, problem: answer.problem });
      return null;
    };
    /** Whether the options are valid; shows a message if not. */
    const mayPublish = (): boolean => {
      const error = optionsError(latest.current);
      if (error !== null)
        showToast({ text: error, problem: { kind: 'refused', message: error, next: OPTIONS_NEXT, file: null } });
      return error === null;
    };
    const publish: ShellApi['publish'] = async (given, how) => {
      navigate({ page: 'publish' });
      if (!mayPublish()) return;
      await ask(desktop.commands.publish({ grants: given.map(({ grant }) => grant), ...how }));
    };
    /** Adds the options of the next drop. A domain can show only one folder, so only the first gets it. */
    const withOptions = (source: WatchSource, index: number): WatchSource => {
      if ('publishing' in source.of) return source;
      const { domain, ...others } = latest.current;
      return { ...source, options: index === 0 ? { domain, ...others } : others };
    };
    return {
      desktop,
      route,
      navigate,
      showToast,
      ask,
      publish,
      watch(sources) {
        const added = sources.map(withOptions);
        setWaiting((before) => [...before, ...added]);
      },
      choose: async (kind) => {
        if (!mayPublish()) return;
        const picked =
          kind === 'folder' ? await ask(desktop.commands.pickFolder()) : await ask(desktop.commands.pickFiles());
        const given = picked?.value ? [picked.value].flat() : [];
        if (given.length > 0) await publish(given);
      },
    };
  }, [desktop, route, navigate, showToast, latest]);

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
