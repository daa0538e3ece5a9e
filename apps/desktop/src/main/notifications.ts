import { blockingProblem } from '../shared/blocking-problem.ts';
import type { WatchedFolder } from '../shared/folder.ts';
import type { Problem } from '../shared/problem.ts';
import type { Published } from '../shared/publishing.ts';
import type { Session } from '../shared/session.ts';
import type { Settings } from '../shared/settings.ts';
import type { Native, SystemNotification } from './native.ts';

/**
 * Notifies the user while the window is not in front: when a site was published, when a site or folder needs the user to act, and
 * when the key of a server is no longer valid (once for all its folders). There is at most one notification for each site: a later
 * one replaces it.
 *
 * Source: desktop §8, §8.2, §8.14.
 */
export class Notifications {
  readonly #native: Pick<Native, 'copyText' | 'notify'>;
  readonly #settings: () => Settings;
  /** The origins of the servers whose invalid key was already reported. */
  readonly #reportedOrigins = new Set<string>();

  constructor(native: Pick<Native, 'copyText' | 'notify'>, settings: () => Settings) {
    this.#native = native;
    this.#settings = settings;
  }

  /** Copies the link of a new site to the clipboard if the settings say so. @returns True if the link was copied. */
  async copyLink(url: string): Promise<boolean> {
    if (!this.#settings().copyLinks) return false;
    return this.#native.copyText(url).then(
      () => true,
      () => false,
    );
  }

  /** Reports that a drop was published. */
  published(id: string, name: string, { url, copied }: Published): void {
    const body = copied ? 'The link is on the clipboard.' : new URL(url).host;
    this.#notify({ about: id, title: `${name} is live`, body, link: url, target: { page: 'publish', id } });
  }

  /** Reports that a drop could not be published. */
  failed(id: string, name: string, { message }: Problem): void {
    const title = `${name} was not published`;
    this.#notify({ about: id, title, body: message, link: null, target: { page: 'publish', id } });
  }

  /** Reports that an anonymous site expires soon. @param leftMs The time that is left, in milliseconds. */
  expiresSoon(id: string, name: string, leftMs: number): void {
    const body = `Sign in within ${Math.max(1, Math.round(leftMs / 3_600_000))} h to keep it.`;
    this.#notify({ about: id, title: `${name} expires soon`, body, link: null, target: { page: 'publish', id } });
  }

  /** Reports that a watched folder has changed. */
  folderChanged(before: WatchedFolder, { id, name, domain, url, state, live, needsDns }: WatchedFolder): void {
    const folder = { about: id, target: { page: 'folders', id } } as const;
    // `live` also changes without a deploy, when it is read from the server.
    if (before.state.is === 'publishing' && state.is === 'live' && live !== null) {
      if (url !== null && !needsDns) this.#notify({ ...folder, title: `${name} is live`, body: url, link: url });
      else {
        const body = `${domain} shows the site once its DNS records are set.`;
        this.#notify({ ...folder, title: `${name} is published`, body, link: null });
      }
      return;
    }
    const problem = blockingProblem(state);
    if (problem !== null && blockingProblem(before.state) === null)
      this.#notify({ ...folder, title: `${name} was not published`, body: problem.message, link: null });
  }

  /** Reports that the session has changed. */
  sessionChanged({ servers }: Session, folders: readonly WatchedFolder[]): void {
    for (const { origin, signIn } of servers) {
      const isUsed = folders.some(({ server, state }) => server === origin && state.is !== 'paused');
      if (signIn.is !== 'refused') this.#reportedOrigins.delete(origin);
      else if (isUsed && !this.#reportedOrigins.has(origin)) {
        this.#reportedOrigins.add(origin);
        const body = `Your key for ${origin} is no longer valid.`;
        this.#notify({ about: origin, title: 'Sign in again', body, link: null, target: { page: 'settings' } });
      }
    }
  }

  #notify(notification: SystemNotification): void {
    if (!this.#settings().notifications) return;
    try {
      this.#native.notify(notification);
    } catch {
      // If the system cannot show notifications, the user still finds the information in the window.
    }
  }
}
