import { createContext, use } from 'react';
import type { Notes } from '@berth/ui/state/toasts';
import type { DesktopApi, EventData } from '../../shared/contract.ts';
import type { GivenItem, NextDropOptions } from '../../shared/publishing.ts';
import { optionsError } from '@berth/ui/text/validate';

/** The page to show, and optionally the id of the card to scroll to, a server address to fill in, or one site or domain. */
export interface Route extends EventData<'navigate'> {
  /** The site to show on the page of sites: its domain, or the id of its deployment. */
  site?: string;
  /** The domain to show on the page of domains. */
  domain?: string;
}

/** A folder to watch, identified by its grant or by the publish job that published the folder. */
export interface WatchSource {
  name: string;
  of: { grant: string } | { publishing: string };
  hasPassword?: boolean | undefined;
  options?: NextDropOptions | undefined;
}

/** The functions of the window that any component may use. */
export type Shell = ReturnType<typeof createShell>;

export const ShellContext = createContext<Shell | null>(null);

export function useShell(): Shell {
  return use(ShellContext)!;
}

const OPTIONS_NEXT = 'Nothing was published. Change or clear the options of the next drop, then try again.';

interface ShellDependencies extends DesktopApi, Notes {
  route: Route;
  navigate(route: Route): void;
  options: { readonly current: NextDropOptions };
  openWatch(sources: readonly WatchSource[]): void;
}

export function createShell({ options, openWatch, ...dependencies }: ShellDependencies) {
  const { commands, navigate, showToast, ask } = dependencies;
  const checkOptions = (): boolean => {
    const error = optionsError(options.current);
    if (error !== null) showToast({ kind: 'refused', message: error, next: OPTIONS_NEXT, file: null });
    return error === null;
  };
  /** Publishes with the options of the next drop. If an option is invalid, shows a message and publishes nothing. */
  const publish = async (given: readonly GivenItem[], how?: { pasted: boolean }) => {
    navigate({ page: 'publish' });
    if (!checkOptions()) return;
    await ask(commands.publish({ grants: given.map(({ grant }) => grant), ...how }));
  };
  /** Adds the options of the next drop. A domain can show only one folder, so only the first folder gets the domain. */
  const withOptions = (source: WatchSource, index: number): WatchSource => {
    if ('publishing' in source.of) return source;
    const { domain, ...others } = options.current;
    return { ...source, options: index === 0 ? { domain, ...others } : others };
  };
  return {
    ...dependencies,
    publish,
    /** Opens one dialog to watch all the folders. A dropped or chosen folder starts with the options of the next drop. */
    watch: (sources: readonly WatchSource[]) => {
      if (sources.length > 0) openWatch(sources.map(withOptions));
    },
    /** Opens the system dialog for a folder or files, and publishes the selection. */
    async choose(kind: 'folder' | 'files') {
      if (!checkOptions()) return;
      const pickAnswer = kind === 'folder' ? await ask(commands.pickFolder()) : await ask(commands.pickFiles());
      const pickedItems = pickAnswer?.value ? [pickAnswer.value].flat() : [];
      if (pickedItems.length > 0) await publish(pickedItems);
    },
  };
}
