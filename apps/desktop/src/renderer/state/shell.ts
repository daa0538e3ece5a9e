import { createContext, use } from 'react';
import type { Answer, DesktopApi, EventData } from '../../shared/contract.ts';
import type { Problem } from '../../shared/problem.ts';
import type { Given, NextDropOptions } from '../../shared/publishing.ts';
import { optionsError } from '../text/validate.ts';

/** The page to show; optionally the card to scroll to, or a server address to fill in. */
export type Route = EventData<'navigate'>;

/** A folder to watch, known by its grant or by the publishing that published it. */
export interface WatchSource {
  name: string;
  of: { grant: string } | { publishing: string };
  /** Whether it was published with a password. */
  hasPassword?: boolean | undefined;
  /** Initial values of the form. */
  options?: NextDropOptions | undefined;
}

/** A button in a toast. */
export interface ToastAction {
  label: string;
  run: () => void;
}

/** Functions of the window that any component may use. */
export interface Shell extends DesktopApi {
  route: Route;
  navigate(route: Route): void;
  /** Shows a message for a few seconds, or a problem until it is dismissed. */
  showToast(content: string | Problem, action?: ToastAction): void;
  /** Awaits an answer and shows its problem, if any, as a toast. @returns The value; `null` after a problem. */
  ask<T>(command: Promise<Answer<T>>): Promise<{ value: T } | null>;
  /** Opens a URL in the system browser. */
  openLink(url: string): void;
  /** Opens the watch dialog for one folder after the other. Dropped and chosen folders start with the options of the next drop. */
  watch(sources: readonly WatchSource[]): void;
  /** Publishes with the options of the next drop. If one of them is invalid, shows a message and publishes nothing. */
  publish(given: readonly Given[], how?: { pasted: boolean }): Promise<void>;
  /** Opens the system dialog for a folder or files, and publishes the selection. */
  choose(kind: 'folder' | 'files'): Promise<void>;
}

export const ShellContext = createContext<Shell | null>(null);

export function useShell(): Shell {
  return use(ShellContext)!;
}

const OPTIONS_NEXT = 'Nothing was published. Change or clear the options of the next drop, then try again.';

interface ShellParts extends DesktopApi, Pick<Shell, 'route' | 'navigate' | 'showToast'> {
  /** The latest options of the next drop. */
  options: { readonly current: NextDropOptions };
  /** Opens the watch dialog for one folder after the other. */
  openWatch: Shell['watch'];
}

/** Creates the functions of the window that any component may use. */
export function createShell({ options, openWatch, ...parts }: ShellParts): Shell {
  const { commands, navigate, showToast } = parts;
  const ask: Shell['ask'] = async (command) => {
    const answer = await command;
    if (answer.ok) return answer;
    showToast(answer.problem);
    return null;
  };
  /** Whether the options are valid; shows a message if not. */
  const checkOptions = (): boolean => {
    const error = optionsError(options.current);
    if (error !== null) showToast({ kind: 'refused', message: error, next: OPTIONS_NEXT, file: null });
    return error === null;
  };
  const publish: Shell['publish'] = async (given, how) => {
    navigate({ page: 'publish' });
    if (!checkOptions()) return;
    await ask(commands.publish({ grants: given.map(({ grant }) => grant), ...how }));
  };
  /** Adds the options of the next drop. A domain can show only one folder, so only the first gets it. */
  const withOptions = (source: WatchSource, index: number): WatchSource => {
    if ('publishing' in source.of) return source;
    const { domain, ...others } = options.current;
    return { ...source, options: index === 0 ? { domain, ...others } : others };
  };
  return {
    ...parts,
    ask,
    publish,
    openLink: (url) => void ask(commands.openLink({ url })),
    watch: (sources) => openWatch(sources.map(withOptions)),
    async choose(kind) {
      if (!checkOptions()) return;
      const picked = kind === 'folder' ? await ask(commands.pickFolder()) : await ask(commands.pickFiles());
      const pickedItems = picked?.value ? [picked.value].flat() : [];
      if (pickedItems.length > 0) await publish(pickedItems);
    },
  };
}
