import type { CommandInput } from '../../src/shared/contract.ts';
import type { Native, SystemNotification } from '../../src/main/native.ts';

/** A fake system that records calls and returns the values that a test sets. */
export class TestNative implements Native {
  readonly copied: string[] = [];
  readonly opened: string[] = [];
  readonly shown: string[] = [];
  readonly notes: SystemNotification[] = [];
  readonly themes: string[] = [];
  restarts = 0;
  /** The pages of the main window that were shown. */
  readonly windows: CommandInput<'showWindow'>[] = [];
  /** True if the window is in front. */
  focused = true;
  /** The paths that the user picks in the next dialogs. */
  folder: string | null = null;
  files: string[] = [];
  /** Errors to throw from some functions, for example if the system has no clipboard or keychain. */
  readonly broken: Partial<Record<'copyText' | 'openExternal' | 'keychain' | 'loginItem', Error>> = {};
  /** The stored keys, by the origin of their server. */
  readonly keys = new Map<string, string>();
  openAtLogin = false;
  readonly keychain: Native['keychain'];
  readonly loginItem: Native['loginItem'];

  constructor(kept: 'system' | 'memory' = 'system', canOpenAtLogin = true) {
    this.keychain = {
      kept: async () => kept,
      read: async (origin) => {
        this.#check('keychain');
        return this.keys.get(origin) ?? null;
      },
      write: async (origin, key) => {
        this.#check('keychain');
        this.keys.set(origin, key);
      },
      remove: async (origin) => void this.keys.delete(origin),
    };
    this.loginItem = {
      available: canOpenAtLogin,
      isOn: async () => this.openAtLogin,
      set: async (on) => {
        this.#check('loginItem');
        this.openAtLogin = on;
      },
    };
  }

  copyText = async (text: string) => {
    this.#check('copyText');
    this.copied.push(text);
  };
  openExternal = async (url: string) => {
    this.#check('openExternal');
    this.opened.push(url);
  };
  showFolder = (path: string) => void this.shown.push(path);
  pickFolder = async () => this.folder;
  pickFiles = async () => this.files;
  notify = (note: SystemNotification) => void (this.focused || this.notes.push(note));
  setTheme = (theme: string) => void this.themes.push(theme);
  showWindow = (target: CommandInput<'showWindow'>) => void this.windows.push(target);
  restartToUpdate = () => void (this.restarts += 1);

  #check(part: keyof TestNative['broken']): void {
    if (this.broken[part]) throw this.broken[part];
  }
}

/** Makes the keychain wait before it stores a secret, until the test releases it. */
export function stopAtWrite({ keychain }: TestNative): { reached: Promise<void>; letGo(): void } {
  const { write } = keychain;
  const writeReached = Promise.withResolvers<void>();
  const writeAllowed = Promise.withResolvers<void>();
  keychain.write = async (of, secret) => {
    writeReached.resolve();
    await writeAllowed.promise;
    await write(of, secret);
  };
  return { reached: writeReached.promise, letGo: writeAllowed.resolve };
}
