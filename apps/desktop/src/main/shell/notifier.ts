import type { Notification } from 'electron';
import type { SystemNotification } from '../native.ts';

/** The max number of notifications that are kept on systems that do not report when one is closed. */
const MAX_KEPT = 50;

/** The parts of Electron's `Notification` that the app uses. */
export interface NotificationClass {
  new (options: { title: string; body: string; silent: boolean }): Pick<Notification, 'on' | 'show'>;
  isSupported(): boolean;
}

/**
 * Shows silent system notifications. Keeps a reference to each until it is closed; otherwise it could be garbage-collected and
 * its click would be lost.
 */
export function createNotifier(NotificationClass: NotificationClass): (notification: SystemNotification) => void {
  const shown = new Set<Pick<Notification, 'on' | 'show'>>();
  return ({ title, body, onClick }) => {
    if (!NotificationClass.isSupported()) return;
    const notification = new NotificationClass({ title, body, silent: true });
    const forget = () => void shown.delete(notification);
    notification.on('click', () => {
      forget();
      onClick();
    });
    // After a timeout, Windows moves a notification to its action center, where it can still be clicked.
    notification.on('close', ({ reason }) => void (reason === 'timedOut' || forget()));
    notification.on('failed', forget);
    shown.add(notification);
    const [oldest] = shown;
    if (shown.size > MAX_KEPT && oldest !== undefined) shown.delete(oldest);
    notification.show();
  };
}
