import type { CommandInput, Target } from '../shared/contract.ts';

/** Stores keys, one for each server. Source: desktop §6; security T40. */
export interface Keychain {
  /**
   * Where keys are stored: `memory` if the system cannot protect keys, which are then lost when the app quits. May take as long as
   * the system asks the user to unlock its key store.
   */
  kept(): Promise<'system' | 'memory'>;
  /** Reads the key of a server; `null` if no key is stored. @throws Error if the key cannot be read now, because its store is locked. */
  read(origin: string): Promise<string | null>;
  /** Stores the key of a server. @throws Error when the key cannot be stored. */
  write(origin: string, key: string): Promise<void>;
  remove(origin: string): Promise<void>;
}

/** The setting that starts the app at login. */
export interface LoginItem {
  /** True if the system can start the app at login. */
  readonly available: boolean;
  isOn(): Promise<boolean>;
  set(on: boolean): Promise<void>;
}

export interface SystemNotification {
  /** The site or server that the notification is about. It replaces an earlier notification about the same. */
  about: string;
  title: string;
  body: string;
  /** The link of the site, which a click opens and buttons copy and open; `null` if a click shows `target` in the window. */
  link: string | null;
  target: Target;
}

/** What a folder is picked for, which the dialog says. */
export type PickReason = 'publish' | 'watch' | 'locate';

/** The operating system as the backend sees it. The backend uses Electron only through this interface. */
export interface Native {
  /** @throws Error if there is no clipboard. */
  copyText(text: string): Promise<void>;
  /** Opens a page in the browser. Rejects addresses that are not `http:` or `https:`. */
  openExternal(url: string): Promise<void>;
  showFolder(path: string): void;
  /** Asks the user for a folder. @returns The folder's path; `null` if the user cancels. */
  pickFolder(reason: PickReason): Promise<string | null>;
  pickFiles(): Promise<string[]>;
  /** Shows a notification, unless the window is in front or the system cannot show any. */
  notify(notification: SystemNotification): void;
  /** Sets the colour theme. `system` follows the system's setting. */
  setTheme(theme: 'system' | 'light' | 'dark'): void;
  /** Shows the main window. With `choose`, asks for a folder there and publishes it. */
  showWindow(target: CommandInput<'showWindow'>): void;
  restartToUpdate(): void;
  readonly keychain: Keychain;
  readonly loginItem: LoginItem;
}
