import type { EventData } from '../../shared/contract.ts';
import type { WatchedFolder } from '../../shared/folder.ts';
import type { Session } from '../../shared/session.ts';
import { blockingProblem } from '../../shared/blocking-problem.ts';
import type { Emit } from '../backend.ts';
import type { Native } from '../native.ts';
import { createBackgroundNotifier, type BackgroundNotifierOptions } from '../background-notifier.ts';

export interface FolderNotificationsOptions extends BackgroundNotifierOptions {
  native: BackgroundNotifierOptions['native'] & Pick<Native, 'showWindow'>;
  /** Checks an address and opens it in the browser. */
  openLink(url: string): void;
  emit: Emit;
}

/** Shows system notifications about watched folders. */
export interface FolderNotifications {
  /** Reports that a folder has changed. */
  folderChanged(before: WatchedFolder, now: WatchedFolder): void;
  /** Reports that the session has changed. */
  sessionChanged(session: Session, folders: readonly WatchedFolder[]): void;
}

/**
 * Notifies the user, while the window is not in front, when a folder was published, when a folder needs the user to act, and,
 * once for all folders of a server, when its key is no longer valid. A click opens the site or shows what to do.
 *
 * Source: desktop §8.
 */
export function createFolderNotifications({
  native,
  openLink,
  wanted,
  emit,
}: FolderNotificationsOptions): FolderNotifications {
  const notified = new Set<string>();

  const notify = createBackgroundNotifier({ native, wanted });

  const show = (where: EventData<'navigate'>) => (): void => {
    native.showWindow();
    emit('navigate', where);
  };

  return {
    folderChanged(before, { id, name, domain, url, state, live, needsDns }) {
      const toFolder = show({ page: 'folders', id });
      // `live` can also change when it is read from the server, without a deploy.
      if (before.state.is === 'publishing' && state.is === 'live' && live !== null) {
        if (url === null || needsDns)
          return notify(`${name} is published`, `${domain} shows it once its DNS records are set.`, toFolder);
        return notify(`${name} is live`, url, () => openLink(url));
      }
      const problem = blockingProblem(state);
      if (problem !== null && blockingProblem(before.state) === null)
        notify(`${name} was not published`, problem.message, toFolder);
    },
    sessionChanged({ servers }, folders) {
      for (const { origin, signIn } of servers) {
        if (signIn.is !== 'refused') notified.delete(origin);
        else if (
          !notified.has(origin) &&
          folders.some(({ server, state }) => server === origin && state.is !== 'paused')
        ) {
          notified.add(origin);
          notify('Sign in again', `Your key for ${origin} is no longer valid.`, show({ page: 'settings' }));
        }
      }
    },
  };
}
