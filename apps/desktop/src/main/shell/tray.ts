import { join } from 'node:path';
import type { NativeImage, Tray } from 'electron';
import type { ElectronModule } from '../app-options.ts';
import type { AppStatus, Summary } from '../backend.ts';
import type { Actions } from './actions.ts';
import { trayMenu } from './tray-menu.ts';

/** The shortest time between two updates of the tray, in milliseconds. */
const UPDATE_EVERY_MS = 250;

/** The dependencies and options of the tray. */
export interface TrayOptions extends Pick<ElectronModule, 'Menu' | 'nativeImage' | 'Tray'> {
  platform: string;
  /** The folder of the icons. Each status has two sizes for the menu bar of macOS and two for other systems. */
  icons: string;
  actions: Actions;
  summary(): Summary;
}

/** The icon in the tray or menu bar. It is updated only if the summary changes. */
export class AppTray {
  readonly #options: TrayOptions;
  readonly #tray: Tray;
  #shown = { status: '', all: '' };
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: TrayOptions) {
    const { Tray, platform, actions, summary } = options;
    this.#options = options;
    const first = summary();
    this.#tray = new Tray(this.#imageOf(first.status));
    this.#shown.status = first.status;
    this.#draw(first);
    // On macOS a click opens the menu. On other systems the right mouse button does.
    if (platform !== 'darwin') this.#tray.on('click', () => actions.show());
    this.#tray.on('drop-files', (_event, paths) => actions.publishPaths(paths));
  }

  /** Shows the current summary within {@link UPDATE_EVERY_MS}. */
  update(): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#draw(this.#options.summary());
    }, UPDATE_EVERY_MS);
  }

  /** Removes the icon. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#tray.destroy();
  }

  #draw(next: Summary): void {
    const { Menu, actions } = this.#options;
    const all = JSON.stringify(next);
    if (all === this.#shown.all) return;
    if (next.status !== this.#shown.status) this.#tray.setImage(this.#imageOf(next.status));
    this.#shown = { status: next.status, all };
    this.#tray.setToolTip(`Berth: ${next.text}`);
    this.#tray.setContextMenu(Menu.buildFromTemplate(trayMenu(next, actions)));
  }

  #imageOf(status: AppStatus): NativeImage {
    const { nativeImage, platform, icons } = this.#options;
    // macOS colours template images itself. All systems find the larger image by its name.
    const isTemplate = platform === 'darwin';
    const image = nativeImage.createFromPath(join(icons, `${status}${isTemplate ? 'Template' : ''}.png`));
    if (isTemplate) image.setTemplateImage(true);
    return image;
  }
}
