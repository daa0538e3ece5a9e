import type { Problem } from '../../shared/problem.ts';
import type { Published } from '../../shared/publishing.ts';
import type { Settings } from '../../shared/settings.ts';
import type { Native } from '../native.ts';
import { createBackgroundNotifier } from '../background-notifier.ts';

export interface PublishingNotificationsOptions {
  native: Pick<Native, 'copyText' | 'isFocused' | 'notify'>;
  settings(): Settings;
  /** Opens a link in the browser if it is allowed. */
  openLink(url: string): void;
  /** Shows a publishing in the window. */
  showPublishing(id: string): void;
}

/** Notifies the user when a publishing ends, as far as the settings allow. Source: desktop §8.2, §8.14. */
export interface PublishingNotifications {
  /** Copies a link to the clipboard. @returns True if it was copied. */
  copy(url: string): boolean;
  published(name: string, published: Published): void;
  failed(id: string, name: string, problem: Problem): void;
}

export function createPublishingNotifications({
  native,
  settings,
  openLink,
  showPublishing,
}: PublishingNotificationsOptions): PublishingNotifications {
  const notify = createBackgroundNotifier({ native, wanted: () => settings().notifications });

  return {
    copy(url) {
      if (!settings().copyLinks) return false;
      try {
        native.copyText(url);
        return true;
      } catch {
        return false;
      }
    },
    published(name, { url, copied }) {
      const link = copied ? 'Its link is on the clipboard.' : new URL(url).host;
      notify(`${name} is live`, link, () => openLink(url));
    },
    failed(id, name, { message }) {
      notify(`${name} was not published`, message, () => showPublishing(id));
    },
  };
}
