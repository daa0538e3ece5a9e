import { blockingProblem } from '../shared/blocking-problem.ts';
import type { EventData } from '../shared/contract.ts';
import type { WatchedFolder } from '../shared/folder.ts';
import type { Problem } from '../shared/problem.ts';
import type { Published } from '../shared/publishing.ts';
import type { Session } from '../shared/session.ts';
import type { Settings } from '../shared/settings.ts';
import type { Emit } from './backend.ts';
import type { Native } from './native.ts';

interface NotificationsOptions {
  native: Pick<Native, 'copyText' | 'isFocused' | 'notify' | 'showWindow'>;
  settings(): Settings;
  /** Checks an address and opens it in the browser. */
  openLink(url: string): void;
  emit: Emit;
}

export type Notifications = ReturnType<typeof createNotifications>;

/**
 * Notifies the user while the window is not in front: when a site was published, when a site or folder needs the user to act, and
 * when the key of a server is no longer valid (once for all its folders). A click opens the site or shows what to do.
 *
 * Source: desktop §8, §8.2, §8.14.
 */
export function createNotifications({ native, settings, openLink, emit }: NotificationsOptions) {
  /** The origins of the servers whose invalid key was already reported. */
  const reportedOrigins = new Set<string>();

  function notify(title: string, body: string, onClick: () => void): void {
    if (native.isFocused() || !settings().notifications) return;
    try {
      native.notify({ title, body, onClick });
    } catch {
      // If the system cannot show notifications, the user still finds the information in the window.
    }
  }

  function showInWindow(target: EventData<'navigate'>): void {
    native.showWindow();
    emit('navigate', target);
  }

  return {
    /** Copies the link of a new site to the clipboard if the settings say so. @returns True if the link was copied. */
    copyLink(url: string): boolean {
      if (!settings().copyLinks) return false;
      try {
        native.copyText(url);
        return true;
      } catch {
        return false;
      }
    },
    /** Reports that a drop was published. */
    published(name: string, { url, copied }: Published): void {
      notify(`${name} is live`, copied ? 'The link is on the clipboard.' : new URL(url).host, () => openLink(url));
    },
    /** Reports that a drop could not be published. */
    failed(id: string, name: string, { message }: Problem): void {
      notify(`${name} was not published`, message, () => showInWindow({ page: 'publish', id }));
    },
    /** Reports that an anonymous site expires soon. @param leftMs The time that is left, in milliseconds. */
    expiresSoon(id: string, name: string, leftMs: number): void {
      const body = `Sign in within ${Math.max(1, Math.round(leftMs / 3_600_000))} h to keep it.`;
      notify(`${name} expires soon`, body, () => showInWindow({ page: 'publish', id }));
    },
    /** Reports that a watched folder has changed. */
    folderChanged(before: WatchedFolder, { id, name, domain, url, state, live, needsDns }: WatchedFolder): void {
      const showFolder = () => showInWindow({ page: 'folders', id });
      // `live` also changes without a deploy, when it is read from the server.
      if (before.state.is === 'publishing' && state.is === 'live' && live !== null) {
        if (url === null || needsDns)
          return notify(`${name} is published`, `${domain} shows the site once its DNS records are set.`, showFolder);
        return notify(`${name} is live`, url, () => openLink(url));
      }
      const problem = blockingProblem(state);
      if (problem !== null && blockingProblem(before.state) === null)
        notify(`${name} was not published`, problem.message, showFolder);
    },
    /** Reports that the session has changed. */
    sessionChanged({ servers }: Session, folders: readonly WatchedFolder[]): void {
      for (const { origin, signIn } of servers) {
        const isUsed = folders.some(({ server, state }) => server === origin && state.is !== 'paused');
        if (signIn.is !== 'refused') reportedOrigins.delete(origin);
        else if (isUsed && !reportedOrigins.has(origin)) {
          reportedOrigins.add(origin);
          notify('Sign in again', `Your key for ${origin} is no longer valid.`, () =>
            showInWindow({ page: 'settings' }),
          );
        }
      }
    },
  };
}
