import { EventEmitter } from 'node:events';

/** A menu entry from its template. */
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
}

/** Chooses a menu entry by its path of labels, outermost first. @throws Error if it does not exist. */
export function choose(menu: FakeMenu | null, ...labels: readonly string[]): void {
  let items = menu?.template ?? [];
  for (const [depth, label] of labels.entries()) {
    const item = items.find((one) => one.label === label);
    if (item === undefined)
      throw new Error(`There is no ${label} among ${items.map((one) => one.label ?? one.role ?? one.type).join(', ')}`);
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
  /** How many times its menu was set. */
  menus = 0;
  destroyed = false;

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
  destroy = () => void (this.destroyed = true);
}

export class FakeNotification extends EventEmitter {
  readonly options: { title: string; body: string; silent: boolean };
  shown = false;

  constructor(options: { title: string; body: string; silent: boolean }) {
    super();
    this.options = options;
  }

  show = () => void (this.shown = true);
}

export type FakeKeyStore = 'good' | 'basic_text' | 'unavailable';

/** A key store that “encrypts” by reversing the base64 text. */
export class FakeSafeStorage {
  state: FakeKeyStore;
  /** Returned by `decryptStringAsync`. */
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
