/** Stores keys, one for each server. Source: desktop §6; security T40. */
export interface Keychain {
  /** `memory` if the system cannot protect keys; they are lost when the app quits. */
  readonly kept: 'system' | 'memory';
  /** Reads the key of a server; `null` if it is missing or can no longer be decrypted. */
  read(origin: string): Promise<string | null>;
  /** @throws Error when the key cannot be stored. */
  write(origin: string, key: string): Promise<void>;
  remove(origin: string): Promise<void>;
}

/** Starts the app at login. */
export interface LoginItem {
  /** True if the system can start the app at login. */
  readonly available: boolean;
  isOn(): Promise<boolean>;
  set(on: boolean): Promise<void>;
}

/** A system notification. */
export interface SystemNotification {
  title: string;
  body: string;
  onClick(): void;
}

/** The operating system as the backend sees it. The backend uses Electron only through this interface. */
export interface Native {
  copyText(text: string): void;
  /** Opens a page in the browser. Rejects for anything but an `http:` or `https:` address. */
  openExternal(url: string): Promise<void>;
  /** Shows a folder in the file manager. */
  showFolder(path: string): void;
  /** Asks for a folder. @returns Its path; `null` if the user cancels. */
  pickFolder(): Promise<string | null>;
  pickFiles(): Promise<string[]>;
  notify(notification: SystemNotification): void;
  /** True if the window is in front. */
  isFocused(): boolean;
  /** Brings the window to the front. */
  showWindow(): void;
  /** Sets the colour theme. `system` follows the system's setting. */
  setTheme(theme: 'system' | 'light' | 'dark'): void;
  restartToUpdate(): void;
  readonly keychain: Keychain;
  readonly loginItem: LoginItem;
}
