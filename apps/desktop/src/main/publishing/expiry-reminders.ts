import type { Notifications } from '../notifications.ts';
import { isOpen, withoutOldClaim } from './entry.ts';
import type { PublishingList } from './publishing-list.ts';

/** How long before a site expires the user is notified, in milliseconds. */
const REMIND_BEFORE_MS = 24 * 3_600_000;
const CHECK_EVERY_MS = 10 * 60_000;

interface RemindersOptions {
  list: PublishingList;
  notifications: Pick<Notifications, 'expiresSoon'>;
}

/**
 * Notifies the user once of each anonymous site that expires within a day, so that it can still be claimed. Checks at the start,
 * every ten minutes, and when the machine wakes up. Source: desktop §8.8.
 */
export function createExpiryReminders({ list, notifications }: RemindersOptions) {
  function check(): void {
    const now = Date.now();
    for (const entry of list.entries()) {
      if (isOpen(entry) || entry.state.is !== 'published' || entry.reminded === true) continue;
      const { expires, claim } = withoutOldClaim(entry.state.published, now);
      if (expires === null || claim === null || expires * 1_000 - now > REMIND_BEFORE_MS) continue;
      list.change(entry.id, { reminded: true });
      notifications.expiresSoon(entry.id, entry.name, expires * 1_000 - now);
    }
  }
  const timer = setInterval(check, CHECK_EVERY_MS);
  timer.unref();
  return { check, close: () => clearInterval(timer) };
}
