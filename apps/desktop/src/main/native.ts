/** Stores keys, one for each server. Source: desktop §6; security T40. */
export interface Keychain {
  /** Where keys are stored: `memory` if the system cannot protect keys, which are then lost when the app quits. */
  readonly kept: 'system' | 'memory';
  /** Reads the key of a server; `null` if the key is missing or can no longer be decrypted. */
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
  title: string;
  body: string;
  onClick(): void;
}

/** The operating system as the backend sees it. The backend uses Electron only through this interface. */
export interface Native {
  copyText(text: string): void;
  /** Opens a page in the browser. Rejects addresses that are not `http:` or `https:`. */
  openExternal(url: string): Promise<void>;
  showFolder(path: string): void;
  /** Asks the user for a folder. @returns The folder's path; `null` if the user cancels. */
  pickFolder(): Promise<string | null>;
  pickFiles(): Promise<string[]>;
  notify(notification: SystemNotification): void;
  isFocused(): boolean;
  showWindow(): void;
  /** Sets the colour theme. `system` follows the system's setting. */
  setTheme(theme: 'system' | 'light' | 'dark'): void;
  restartToUpdate(): void;
  readonly keychain: Keychain;
  readonly loginItem: LoginItem;
}
