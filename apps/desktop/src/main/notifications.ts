import { blockingProblem } from '../shared/blocking-problem.ts';
import type { EventData } from '../shared/contract.ts';
import type { WatchedFolder } from '../shared/folder.ts';
import type { Problem } from '../shared/problem.ts';
import type { Published } from '../shared/publishing.ts';
import type { Session } from '../shared/session.ts';
import type { Settings } from '../shared/settings.ts';
import type { Emit } from './backend.ts';
import type { Native } from './native.ts';

export interface NotificationsOptions {
  native: Pick<Native, 'copyText' | 'isFocused' | 'notify' | 'showWindow'>;
  settings(): Settings;
  /** Checks an address and opens it in the browser. */
  openLink(url: string): void;
  emit: Emit;
}

/**
 * Notifies the user, while the window is not in front, when a site was published, when something needs the user to act, and, once
 * for all folders of a server, when its key is no longer valid. A click opens the site or shows what to do.
 *
 * Source: desktop §8, §8.2, §8.14.
 */
export class Notifications {
  readonly #options: NotificationsOptions;
  /** The servers whose refused key the user knows about. */
  readonly #refused = new Set<string>();

  constructor(options: NotificationsOptions) {
    this.#options = options;
  }

  /** Copies the link of a new site to the clipboard if the settings say so. @returns True if it was copied. */
  copyLink(url: string): boolean {
    const { native, settings } = this.#options;
    if (!settings().copyLinks) return false;
    try {
      native.copyText(url);
      return true;
    } catch {
      return false;
    }
  }

  /** Reports that a drop was published. */
  published(name: string, { url, copied }: Published): void {
    const link = copied ? 'Its link is on the clipboard.' : new URL(url).host;
    this.#notify(`${name} is live`, link, () => this.#options.openLink(url));
  }

  /** Reports that a drop could not be published. */
  failed(id: string, name: string, { message }: Problem): void {
    this.#notify(`${name} was not published`, message, () => this.#show({ page: 'publish', id }));
  }

  /** Reports that a watched folder has changed. */
  folderChanged(before: WatchedFolder, { id, name, domain, url, state, live, needsDns }: WatchedFolder): void {
    const showFolder = () => this.#show({ page: 'folders', id });
    // `live` can also change when it is read from the server, without a deploy.
    if (before.state.is === 'publishing' && state.is === 'live' && live !== null) {
      if (url === null || needsDns)
        return this.#notify(`${name} is published`, `${domain} shows it once its DNS records are set.`, showFolder);
      return this.#notify(`${name} is live`, url, () => this.#options.openLink(url));
    }
    const problem = blockingProblem(state);
    if (problem !== null && blockingProblem(before.state) === null)
      this.#notify(`${name} was not published`, problem.message, showFolder);
  }

  /** Reports that the session has changed. */
  sessionChanged({ servers }: Session, folders: readonly WatchedFolder[]): void {
    for (const { origin, signIn } of servers) {
      const isUsed = folders.some(({ server, state }) => server === origin && state.is !== 'paused');
      if (signIn.is !== 'refused') this.#refused.delete(origin);
      else if (isUsed && !this.#refused.has(origin)) {
        this.#refused.add(origin);
        this.#notify('Sign in again', `Your key for ${origin} is no longer valid.`, () =>
          this.#show({ page: 'settings' }),
        );
      }
    }
  }

  #show(where: EventData<'navigate'>): void {
    this.#options.native.showWindow();
    this.#options.emit('navigate', where);
  }

  #notify(title: string, body: string, onClick: () => void): void {
    const { native, settings } = this.#options;
    if (native.isFocused() || !settings().notifications) return;
    try {
      native.notify({ title, body, onClick });
    } catch {
      // The system cannot show notifications. The window shows the same information.
    }
  }
}
