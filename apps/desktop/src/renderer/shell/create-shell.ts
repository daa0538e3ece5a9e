import type { NextDropOptions } from '../../shared/publishing.ts';
import type { Shell, WatchSource } from '../state/shell.ts';
import { optionsError } from '../text/validate.ts';

const OPTIONS_NEXT = 'Nothing was published. Change or clear the options of the next drop, then try again.';

/** The parts of the window that the shell's functions use. */
export interface ShellParts extends Pick<Shell, 'desktop' | 'route' | 'navigate' | 'showToast'> {
  /** The latest options of the next drop. */
  options: { readonly current: NextDropOptions };
  /** Opens the watch dialog for one folder after the other. */
  openWatch(sources: readonly WatchSource[]): void;
}

/** Creates the functions of the window that any component may use. */
export function createShell({ options, openWatch, ...parts }: ShellParts): Shell {
  const { desktop, navigate, showToast } = parts;
  const ask: Shell['ask'] = async (command) => {
    const answer = await command;
    if (answer.ok) return { value: answer.value };
    showToast({ text: answer.problem.message, problem: answer.problem });
    return null;
  };
  /** Whether the options are valid; shows a message if not. */
  const checkOptions = (): boolean => {
    const error = optionsError(options.current);
    if (error !== null)
      showToast({ text: error, problem: { kind: 'refused', message: error, next: OPTIONS_NEXT, file: null } });
    return error === null;
  };
  const publish: Shell['publish'] = async (given, how) => {
    navigate({ page: 'publish' });
    if (!checkOptions()) return;
    await ask(desktop.commands.publish({ grants: given.map(({ grant }) => grant), ...how }));
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
    watch: (sources) => openWatch(sources.map(withOptions)),
    async choose(kind) {
      if (!checkOptions()) return;
      const picked =
        kind === 'folder' ? await ask(desktop.commands.pickFolder()) : await ask(desktop.commands.pickFiles());
      const pickedItems = picked?.value ? [picked.value].flat() : [];
      if (pickedItems.length > 0) await publish(pickedItems);
    },
  };
}
