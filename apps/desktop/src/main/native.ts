/** Where keys are kept, one for each server. Source: design of the desktop app, §6; security T40. */
export interface Keychain {
  /** `memory` where the system cannot protect them: they are gone when the app quits. */
  readonly kept: 'system' | 'memory';
  /** The key of a server; `null` when there is none, or it can be read no more. */
  read(origin: string): Promise<string | null>;
  /** @throws Error when it cannot be kept. */
  write(origin: string, key: string): Promise<void>;
  remove(origin: string): Promise<void>;
}

/** Starting at login. */
export interface LoginItem {
  /** Whether the system has it. */
  readonly available: boolean;
  isOn(): Promise<boolean>;
  set(on: boolean): Promise<void>;
}

/** A message of the system beside the window. */
export interface Note {
  title: string;
  body: string;
  onClick(): void;
}

/** What the app wants of the system that it runs on. It is all that the backend knows of Electron. */
export interface Native {
  copyText(text: string): void;
  /** Opens a page in the browser. Rejects for anything but an `http:` or `https:` address. */
  openExternal(url: string): Promise<void>;
  /** Shows a folder in the file manager. */
  showFolder(path: string): void;
  /** Asks for a folder. @returns Its path; `null` when none was chosen. */
  pickFolder(): Promise<string | null>;
  pickFiles(): Promise<string[]>;
  notify(note: Note): void;
  /** Whether the window is in front. */
  isLookedAt(): boolean;
  /** Brings the window to the front. */
  showWindow(): void;
  /** Light, dark, or as the system has it. */
  setTheme(theme: 'system' | 'light' | 'dark'): void;
  restartToUpdate(): void;
  readonly keychain: Keychain;
  readonly loginItem: LoginItem;
}
