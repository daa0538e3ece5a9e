import type { Problem } from '../../shared/problem.ts';
import type { Published } from '../../shared/publishing.ts';
import type { Settings } from '../../shared/settings.ts';
import type { Native } from '../native.ts';
import { createNoter } from '../noter.ts';

export interface AnnouncerParts {
  native: Pick<Native, 'copyText' | 'isLookedAt' | 'notify'>;
  settings(): Settings;
  /** Opens a link in the browser if it is allowed. */
  openLink(url: string): void;
  /** Shows a publishing in the window. */
  showPublishing(id: string): void;
}

/** Notifies the user when a publishing ends, as far as the settings allow. Source: design of the desktop app, §8, 2 and 14. */
export interface Announcer {
  /** Copies a link to the clipboard. @returns True if it was copied. */
  copy(url: string): boolean;
  published(name: string, published: Published): void;
  failed(id: string, name: string, problem: Problem): void;
}

export function createAnnouncer({ native, settings, openLink, showPublishing }: AnnouncerParts): Announcer {
  const note = createNoter({ native, wanted: () => settings().notifications });

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
      note(`${name} is live`, link, () => openLink(url));
    },
    failed(id, name, { message }) {
      note(`${name} was not published`, message, () => showPublishing(id));
    },
  };
}
