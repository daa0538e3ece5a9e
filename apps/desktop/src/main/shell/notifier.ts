import type { Notification, NotificationConstructorOptions } from 'electron';
import type { SystemNotification } from '../native.ts';

/** The maximum number of notifications that are kept on systems that do not report when a notification is closed. */
const MAX_KEPT_NOTIFICATIONS = 50;

type ShownNotification = Pick<Notification, 'close' | 'on' | 'show'>;

export interface NotificationClass {
  new (options: NotificationConstructorOptions): ShownNotification;
  isSupported(): boolean;
}

interface NotifierOptions {
  Notification: NotificationClass;
  /** True while the window is in front. The user then sees everything there. */
  isFocused(): boolean;
  copyLink(url: string): void;
  openLink(url: string): void;
  show(target: SystemNotification['target']): void;
}

/** Shows silent system notifications, one for each site: a later one replaces the earlier one. */
export class Notifier {
  readonly #options: NotifierOptions;
  /**
   * The notifications by the site that they are about. Without a reference, a notification could be garbage-collected, and its click
   * would be lost.
   */
  readonly #shown = new Map<string, ShownNotification>();

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  readonly notify = ({ about, title, body, link, target }: SystemNotification): void => {
    const { Notification, isFocused, copyLink, openLink, show } = this.#options;
    if (isFocused() || !Notification.isSupported()) return;
    // Linux cannot replace a notification. Elsewhere, closing removes the earlier one also from the list of the system.
    this.#shown.get(about)?.close();
    const actions = link === null ? [] : ['Copy', 'Open'].map((text) => ({ type: 'button' as const, text }));
    const notification = new Notification({ id: about, title, body, silent: true, actions });
    const forget = () => void (this.#shown.get(about) === notification && this.#shown.delete(about));
    const open = () => (link === null ? show(target) : openLink(link));
    notification.on('click', () => {
      forget();
      open();
    });
    notification.on('action', ({ actionIndex }) => (actionIndex === 0 && link !== null ? copyLink(link) : open()));
    // After a timeout, Windows moves a notification to its action center, where it can still be clicked.
    notification.on('close', ({ reason }) => void (reason === 'timedOut' || forget()));
    notification.on('failed', forget);
    this.#shown.delete(about);
    this.#shown.set(about, notification);
    const [oldest] = this.#shown.keys();
    if (this.#shown.size > MAX_KEPT_NOTIFICATIONS && oldest !== undefined) this.#shown.delete(oldest);
    notification.show();
  };
}
