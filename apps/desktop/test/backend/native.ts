import type { Native, SystemNotification } from '../../src/main/native.ts';

/** A fake system that records calls and gives the answers that a test sets. */
export interface TestNative extends Native {
  copied: string[];
  opened: string[];
  shown: string[];
  notes: SystemNotification[];
  themes: string[];
  /** How many times the window was brought to the front. */
  windows: number;
  restarts: number;
  /** Whether the window is in front. */
  focused: boolean;
  /** The paths that the user picks in the next dialogs. */
  folder: string | null;
  files: string[];
  /** Errors to throw from some functions, for example if the system has no clipboard or keychain. */
  broken: Partial<Record<'copyText' | 'openExternal' | 'keychain' | 'loginItem', Error>>;
  /** The stored keys, by the origin of their server. */
  keys: Map<string, string>;
  openAtLogin: boolean;
}

export function testNative(given: { kept?: 'system' | 'memory'; canOpenAtLogin?: boolean } = {}): TestNative {
  const { kept = 'system', canOpenAtLogin = true } = given;
  const refuse = (part: keyof TestNative['broken']) => {
    if (native.broken[part]) throw native.broken[part];
  };
  const native: TestNative = {
    copied: [],
    opened: [],
    shown: [],
    notes: [],
    themes: [],
    windows: 0,
    restarts: 0,
    focused: true,
    folder: null,
    files: [],
    broken: {},
    keys: new Map(),
    openAtLogin: false,
    copyText(text) {
      refuse('copyText');
      native.copied.push(text);
    },
    async openExternal(url) {
      refuse('openExternal');
      native.opened.push(url);
    },
    showFolder: (path) => void native.shown.push(path),
    pickFolder: async () => native.folder,
    pickFiles: async () => native.files,
    notify: (note) => void native.notes.push(note),
    isFocused: () => native.focused,
    showWindow: () => void (native.windows += 1),
    setTheme: (theme) => void native.themes.push(theme),
    restartToUpdate: () => void (native.restarts += 1),
    keychain: {
      kept,
      async read(origin) {
        refuse('keychain');
        return native.keys.get(origin) ?? null;
      },
      async write(origin, key) {
        refuse('keychain');
        native.keys.set(origin, key);
      },
      async remove(origin) {
        native.keys.delete(origin);
      },
    },
    loginItem: {
      available: canOpenAtLogin,
      isOn: async () => native.openAtLogin,
      async set(on) {
        refuse('loginItem');
        native.openAtLogin = on;
      },
    },
  };
  return native;
}

/** Makes the keychain wait before it stores a secret, until the test releases it. */
export function stopAtWrite({ keychain }: TestNative): { reached: Promise<void>; letGo(): void } {
  const { write } = keychain;
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  keychain.write = async (of, secret) => {
    reached.resolve();
    await gate.promise;
    await write(of, secret);
  };
  return { reached: reached.promise, letGo: gate.resolve };
}
