import { ClientError } from '@berth/client';
import type { CommandInput, Page, Target } from '../../shared/contract.ts';
import type { GivenItem } from '../../shared/publishing.ts';
import type { Backend, Emit } from '../backend.ts';
import { problemOf } from '../problem.ts';
import { readDeepLink } from './deep-link.ts';
import type { Launch } from './launches.ts';
import type { MainWindow } from './window.ts';

export type Actions = ReturnType<typeof createActions>;

/** Creates the actions of the menu, the tray, links, and folders dropped on an icon of the app. Sends errors to the page as notices. */
export function createActions(
  backend: Pick<Backend, 'give' | 'handlers'>,
  window: Pick<MainWindow, 'show'>,
  emit: Emit,
  system: { quit(): void; showLogs(): void },
) {
  const { handlers } = backend;

  /** Runs an action. If the action fails, shows the window with the problem. */
  const attempt = (action: () => Promise<unknown>) =>
    void action().catch((error: unknown) => {
      window.show();
      emit('problem', { problem: problemOf(error) });
    });

  const showTarget = (target: Target) => {
    window.show();
    emit('navigate', target);
  };
  const showPage = (page: Page) => showTarget({ page });

  const publish = async (given: readonly GivenItem[]) => {
    showPage('publish');
    await handlers.publish({ grants: given.map(({ grant }) => grant) });
  };

  const publishPaths = (paths: readonly string[]) =>
    attempt(async () => {
      const grantedItems = await backend.give(paths);
      if (grantedItems.length === 0)
        throw new ClientError('folder', `${paths.join(', ')} cannot be read. Nothing was published.`);
      await publish(grantedItems);
    });

  const followLink = (link: string) =>
    attempt(async () => {
      const target = readDeepLink(link);
      if (target === null) throw new ClientError('refused', "That Berth link isn't valid.");
      showTarget(target);
    });

  const publishFolder = () =>
    attempt(async () => {
      // The dialog is attached to the window, so it is invisible while the window is hidden.
      window.show();
      const pickedFolder = await handlers.pickFolder(undefined);
      if (pickedFolder !== null) await publish([pickedFolder]);
    });

  return {
    show: () => window.show(),
    showPage,
    /** Publishes absolute paths that the user dropped on an icon of the app or opened with the app. */
    publishPaths,
    /** Asks the user for a folder and publishes the folder. */
    publishFolder,
    /** Shows a page, or an item on it, in the window. */
    showTarget,
    showWindow: ({ choose = false, ...target }: CommandInput<'showWindow'>) => {
      if (choose) publishFolder();
      else showTarget(target);
    },
    copyLink: (text: string) => attempt(() => handlers.copy({ text })),
    openLink: (url: string) => attempt(() => handlers.openLink({ url })),
    pause: (id: string) => attempt(() => handlers.pauseFolder({ id })),
    resume: (id: string) => attempt(() => handlers.resumeFolder({ id })),
    showLogs: () => system.showLogs(),
    quit: () => system.quit(),
    /** Handles a start of the app, and links and folders that are opened with the app. */
    receive: ({ link, paths, hidden }: Launch) => {
      if (link !== null) followLink(link);
      else if (paths.length > 0) publishPaths(paths);
      else if (!hidden) window.show();
    },
  };
}
