import { useMemo, useState } from 'react';
import type { DesktopApi, Page } from '../../shared/contract.ts';
import type { PublishOptions } from '../../shared/publishing.ts';
import { ActivityPage } from '../pages/activity/activity-page.tsx';
import { DomainsPage } from '../pages/domains/domains-page.tsx';
import { FoldersPage } from '../pages/folders/folders-page.tsx';
import { WatchDialog } from '../pages/folders/watch-dialog.tsx';
import { PublishPage } from '../pages/publish/publish-page.tsx';
import { SettingsPage } from '../pages/settings/settings-page.tsx';
import { SitesPage } from '../pages/sites/sites-page.tsx';
import { ShellContext, type Shell as ShellApi, type WatchSource } from '../state/shell.ts';
import { useApp } from '../state/store.ts';
import { Announcer } from './announcer.tsx';
import { DropOverlay } from './drop-overlay.tsx';
import { Sidebar } from './sidebar.tsx';
import { Toasts, useToasts } from './toasts.tsx';
import { usePlace } from './use-place.ts';

const PAGES: Record<Page, () => React.ReactNode> = {
  publish: PublishPage,
  folders: FoldersPage,
  sites: SitesPage,
  domains: DomainsPage,
  activity: ActivityPage,
  settings: SettingsPage,
};

/** The window once the state is known: sidebar, page, and what lies over both. */
export function Shell({ desktop }: { desktop: DesktopApi }) {
  const { toasts, say, dismiss } = useToasts(desktop);
  const { platform } = useApp('about');
  const { place, go } = usePlace(desktop);
  const [options, setOptions] = useState<PublishOptions>({});
  const [optionsRound, setOptionsRound] = useState(0);
  const [waiting, setWaiting] = useState<readonly WatchSource[]>([]);

  const shell = useMemo((): ShellApi => {
    const ask: ShellApi['ask'] = async (asked) => {
      const answer = await asked;
      if (answer.ok) return { value: answer.value };
      say({ text: answer.problem.message, problem: answer.problem });
      return null;
    };
    const clearOptions = () => {
      setOptions({});
      setOptionsRound((round) => round + 1);
    };
    const publish: ShellApi['publish'] = async (given) => {
      go({ page: 'publish' });
      const grants = given.map(({ grant }) => grant);
      // Only what was taken uses the options up.
      if (await ask(desktop.commands.publish({ grants, options }))) clearOptions();
    };
    return {
      desktop,
      place,
      go,
      say,
      ask,
      publish,
      options,
      setOptions,
      clearOptions,
      optionsRound,
      watch: (source) => setWaiting((before) => [...before, source]),
      choose: async (kind) => {
        const picked =
          kind === 'folder' ? await ask(desktop.commands.pickFolder()) : await ask(desktop.commands.pickFiles());
        const given = picked?.value ? [picked.value].flat() : [];
        if (given.length > 0) await publish(given);
      },
    };
  }, [desktop, place, go, say, options, optionsRound]);

  const CurrentPage = PAGES[place.page];
  const [source] = waiting;
  return (
    <ShellContext value={shell}>
      <div className="shell" data-platform={platform}>
        <Sidebar />
        <main key={place.page} aria-label={place.page}>
          <CurrentPage />
        </main>
      </div>
      {source && (
        <WatchDialog key={source.name} source={source} onClose={() => setWaiting((before) => before.slice(1))} />
      )}
      <DropOverlay />
      <Toasts toasts={toasts} dismiss={dismiss} />
      <Announcer />
    </ShellContext>
  );
}
