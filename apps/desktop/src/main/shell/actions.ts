import { ClientError } from '@berth/client';
import type { Page } from '../../shared/contract.ts';
import type { Given } from '../../shared/publishing.ts';
import type { Backend, Emit } from '../backend.ts';
import { problemOf } from '../problem.ts';
import { readDeepLink } from './deep-link.ts';
import type { Launch } from './launches.ts';
import type { MainWindow } from './window.ts';

/** The actions of the menu, the tray, links, and folders that are dropped on an icon of the app. */
export type Actions = ReturnType<typeof createActions>;

/** Creates the actions. They do not throw: errors are sent to the page as notices. */
export function createActions(
  backend: Pick<Backend, 'give' | 'handlers'>,
  window: Pick<MainWindow, 'show'>,
  emit: Emit,
  quit: () => void,
) {
  const { handlers } = backend;

  const attempt = (work: () => Promise<unknown>) => void showFailure(work, window, emit);

  const showPage = (page: Page) => {
    window.show();
    emit('navigate', { page });
  };

  const publish = async (given: readonly Given[]) => {
    showPage('publish');
    await handlers.publish({ grants: given.map(({ grant }) => grant) });
  };

  const publishPaths = (paths: readonly string[]) =>
    attempt(async () => {
      const granted = await backend.give(paths);
      if (granted.length === 0)
        throw new ClientError('folder', `${paths.join(', ')} cannot be read. Nothing was published.`);
      await publish(granted);
    });

  const follow = (link: string) => {
    const target = readDeepLink(link);
    window.show();
    if (target === null) emit('problem', { problem: problemOf(UNKNOWN_LINK) });
    else emit('navigate', target);
  };

  return {
    show: () => window.show(),
    showPage,
    /** Publishes absolute paths that the user dropped on an icon of the app or opened with the app. */
    publishPaths,
    /** Asks for a folder and publishes it. */
    publishFolder: () =>
      attempt(async () => {
        // The dialog is attached to the window, so it is invisible while the window is hidden.
        window.show();
        const picked = await handlers.pickFolder(undefined);
        if (picked !== null) await publish([picked]);
      }),
    copyLink: (text: string) => attempt(() => handlers.copy({ text })),
    openLink: (url: string) => attempt(() => handlers.openLink({ url })),
    pause: (id: string) => attempt(() => handlers.pauseFolder({ id })),
    resume: (id: string) => attempt(() => handlers.resumeFolder({ id })),
    quit,
    /** Handles a start, a link or a folder from outside the app. */
    receive: ({ link, paths, hidden }: Launch) => {
      if (link !== null) follow(link);
      else if (paths.length > 0) publishPaths(paths);
      else if (!hidden) window.show();
    },
  };
}

/** Runs an action. If it fails, shows the window with the problem. */
async function showFailure(work: () => Promise<unknown>, window: Pick<MainWindow, 'show'>, emit: Emit): Promise<void> {
  try {
    await work();
  } catch (error) {
    window.show();
    emit('problem', { problem: problemOf(error) });
  }
}

const UNKNOWN_LINK = new ClientError('refused', "That Berth link isn't valid.");
