import { EventEmitter } from 'node:events';

export interface FakeMenuItem {
  label?: string;
  role?: string;
  type?: string;
  accelerator?: string;
  enabled?: boolean;
  submenu?: readonly FakeMenuItem[];
  click?: () => void;
}

export interface FakeMenu {
  readonly template: readonly FakeMenuItem[];
  /** Shows the menu at the pointer. */
  popup(options: { window: unknown }): void;
}

/** Clicks a menu item. @param labels The labels of its menus and of the item, outermost first. @throws Error if there is no such item. */
export function choose(menu: FakeMenu | null, ...labels: readonly string[]): void {
  let items = menu?.template ?? [];
  for (const [depth, label] of labels.entries()) {
    const item = items.find((each) => each.label === label);
    if (item === undefined)
      throw new Error(
        `The menu has no item “${label}”, only ${items.map((each) => each.label ?? each.role).join(', ')}`,
      );
    if (depth === labels.length - 1) item.click?.();
    items = item.submenu ?? [];
  }
}

export interface FakeImage {
  path: string;
  template: boolean;
}

export class FakeTray extends EventEmitter {
  image: FakeImage;
  toolTip = '';
  menu: FakeMenu | null = null;
  /** The number of calls of `setContextMenu`. */
  menus = 0;
  destroyed = false;
  bounds = { x: 1_800, y: 1_050, width: 24, height: 24 };
  /** The menu that `popUpContextMenu` has opened. */
  openedMenu: FakeMenu | null = null;

  constructor(image: FakeImage) {
    super();
    this.image = image;
  }

  setImage = (image: FakeImage) => void (this.image = image);
  setToolTip = (text: string) => void (this.toolTip = text);
  setContextMenu = (menu: FakeMenu) => {
    this.menu = menu;
    this.menus += 1;
  };
  popUpContextMenu = (menu: FakeMenu) => void (this.openedMenu = menu);
  getBounds = () => this.bounds;
  destroy = () => void (this.destroyed = true);
}

export interface FakeNotificationOptions {
  id: string;
  title: string;
  body: string;
  silent: boolean;
  actions: readonly { type: string; text: string }[];
}

export class FakeNotification extends EventEmitter {
  readonly options: FakeNotificationOptions;
  shown = false;
  closed = false;

  constructor(options: FakeNotificationOptions) {
    super();
    this.options = options;
  }

  show = () => void (this.shown = true);
  close = () => void (this.closed = true);
}

export type FakeKeyStore = 'good' | 'basic_text' | 'unavailable';

/** A fake key store that encodes a text in base64 and reverses it instead of encrypting it. */
export class FakeSafeStorage {
  state: FakeKeyStore;
  /** The value that `decryptStringAsync` returns as `shouldReEncrypt`. */
  shouldReEncrypt = false;
  broken = false;
  encryptions = 0;

  constructor(state: FakeKeyStore) {
    this.state = state;
  }

  isAsyncEncryptionAvailable = async () => this.state !== 'unavailable';
  getSelectedStorageBackend = () => (this.state === 'good' ? 'gnome_libsecret' : 'basic_text') as 'basic_text';

  encryptStringAsync = async (text: string) => {
    if (this.broken) throw new Error('The key store is locked');
    this.encryptions += 1;
    return Buffer.from(`fake:${Buffer.from(text).toString('base64').split('').toReversed().join('')}`);
  };

  decryptStringAsync = async (encrypted: Buffer) => {
    const text = encrypted.toString();
    if (this.broken || !text.startsWith('fake:')) throw new Error('Error while decrypting the ciphertext');
    const result = Buffer.from(text.slice(5).split('').toReversed().join(''), 'base64').toString();
    return { result, shouldReEncrypt: this.shouldReEncrypt };
  };
}

export class FakeTheme extends EventEmitter {
  themeSource: 'system' | 'light' | 'dark' = 'system';
  systemIsDark = false;

  get shouldUseDarkColors(): boolean {
    return this.themeSource === 'dark' || (this.themeSource === 'system' && this.systemIsDark);
  }
}
