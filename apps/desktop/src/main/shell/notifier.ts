import type { Notification } from 'electron';
import type { SystemNotification } from '../native.ts';

/** The maximum number of notifications that are kept on systems that do not report when a notification is closed. */
const MAX_KEPT_NOTIFICATIONS = 50;

export interface NotificationClass {
  new (options: { title: string; body: string; silent: boolean }): Pick<Notification, 'on' | 'show'>;
  isSupported(): boolean;
}

/**
 * Shows silent system notifications. Keeps a reference to each notification until it is closed. Otherwise a notification could be
 * garbage-collected, and its click would be lost.
 */
export function createNotifier(NotificationClass: NotificationClass): (notification: SystemNotification) => void {
  const shownNotifications = new Set<Pick<Notification, 'on' | 'show'>>();
  return ({ title, body, onClick }) => {
    if (!NotificationClass.isSupported()) return;
    const notification = new NotificationClass({ title, body, silent: true });
    const forgetNotification = () => void shownNotifications.delete(notification);
    notification.on('click', () => {
      forgetNotification();
      onClick();
    });
    // After a timeout, Windows moves a notification to its action center, where it can still be clicked.
    notification.on('close', ({ reason }) => void (reason === 'timedOut' || forgetNotification()));
    notification.on('failed', forgetNotification);
    shownNotifications.add(notification);
    const [oldest] = shownNotifications;
    if (shownNotifications.size > MAX_KEPT_NOTIFICATIONS && oldest !== undefined) shownNotifications.delete(oldest);
    notification.show();
  };
}
