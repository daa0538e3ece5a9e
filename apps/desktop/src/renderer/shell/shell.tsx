import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { DesktopApi, Page } from '../../shared/contract.ts';
import type { PublishOptions } from '../../shared/publishing.ts';
import { ActivityPage } from '../pages/activity/activity-page.tsx';
import { DomainsPage } from '../pages/domains/domains-page.tsx';
import { FoldersPage } from '../pages/folders/folders-page.tsx';
import { WatchDialog } from '../pages/folders/watch-dialog.tsx';
import { PublishPage } from '../pages/publish/publish-page.tsx';
import { SettingsPage } from '../pages/settings/settings-page.tsx';
import { SitesPage } from '../pages/sites/sites-page.tsx';
import { type NextDrop, NextDropContext } from '../state/options.ts';
import { ShellContext, type Shell as ShellApi, type WatchSource } from '../state/shell.ts';
import { useApp } from '../state/store.ts';
import { optionsFault } from '../words/validate.ts';
import { Announcer } from './announcer.tsx';
import { DropOverlay } from './drop-overlay.tsx';
import { keepFocus } from './keep-focus.ts';
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

const MEND = 'Nothing was published. Change or clear the options of the next drop, and give it again.';

/** The window once the state is known: sidebar, page, and what lies over both. */
export function Shell({ desktop }: { desktop: DesktopApi }) {
  const { toasts, say, dismiss } = useToasts(desktop);
  const { platform } = useApp('about');
  const { place, go } = usePlace(desktop);
  const [options, setOptions] = useState<PublishOptions>({});
  const [round, setRound] = useState(0);
  // A drop takes what is set when it is published: a dialog of the system, or a message, may lie between.
  const latest = useRef(options);
  latest.current = options;
  const [waiting, setWaiting] = useState<readonly WatchSource[]>([]);

  const clear = useCallback(() => {
    setOptions({});
    setRound((before) => before + 1);
  }, []);
  const nextDrop = useMemo((): NextDrop => ({ options, round, set: setOptions, clear }), [options, round, clear]);

  const shell = useMemo((): ShellApi => {
    const ask: ShellApi['ask'] = async (asked) => {
      const answer = await asked;
      if (answer.ok) return { value: answer.value };
      say({ text: answer.problem.message, problem: answer.problem });
      return null;
    };
    /** Whether the options may be used; says what is wrong with them. */
    const mayPublish = (): boolean => {
      const fault = optionsFault(latest.current);
      if (fault !== null) say({ text: fault, problem: { kind: 'refused', message: fault, next: MEND, file: null } });
      return fault === null;
    };
    const publish: ShellApi['publish'] = async (given) => {
      go({ page: 'publish' });
      if (!mayPublish()) return;
      const grants = given.map(({ grant }) => grant);
      // Only what was taken uses the options up.
      if (await ask(desktop.commands.publish({ grants, options: latest.current }))) clear();
    };
    return {
      desktop,
      place,
      go,
      say,
      ask,
      publish,
      watch: (source) => setWaiting((before) => [...before, source]),
      choose: async (kind) => {
        if (!mayPublish()) return;
        const picked =
          kind === 'folder' ? await ask(desktop.commands.pickFolder()) : await ask(desktop.commands.pickFiles());
        const given = picked?.value ? [picked.value].flat() : [];
        if (given.length > 0) await publish(given);
      },
    };
  }, [desktop, place, go, say, clear]);

  useEffect(keepFocus, []);

  const CurrentPage = PAGES[place.page];
  const [source] = waiting;
  return (
    <ShellContext value={shell}>
      <div className="shell" data-platform={platform}>
        <Sidebar />
        <NextDropContext value={nextDrop}>
          <main key={place.page} aria-label={place.page}>
            <CurrentPage />
          </main>
        </NextDropContext>
      </div>
      {source && (
        <WatchDialog
          // Many folders are called “dist”.
          key={'grant' in source.of ? source.of.grant : source.of.publishing}
          source={source}
          onClose={() => setWaiting((before) => before.filter((each) => each !== source))}
        />
      )}
      <DropOverlay />
      <Toasts toasts={toasts} dismiss={dismiss} />
      <Announcer />
    </ShellContext>
  );
}
