import { join } from 'node:path';
import type { Menu, NativeImage, Tray } from 'electron';
import type { AppStatus, Summary } from '../backend.ts';
import { type TrayActions, trayMenu } from './tray-menu.ts';

/** The shortest time between two updates of the tray, in milliseconds. */
const UPDATE_EVERY_MS = 250;

/** The dependencies and options of the tray. */
export interface TrayOptions {
  Tray: new (image: NativeImage) => Tray;
  Menu: Pick<typeof Menu, 'buildFromTemplate'>;
  nativeImage: { createFromPath(path: string): NativeImage };
  platform: string;
  /** The folder of the icons. Each status has two sizes for the menu bar of macOS and two for other systems. */
  icons: string;
  actions: TrayActions & { publishPaths(paths: readonly string[]): void };
  summary(): Summary;
}

/** The icon in the tray or menu bar. */
export interface AppTray {
  /** Shows the current summary within {@link UPDATE_EVERY_MS}. */
  update(): void;
  /** Removes the icon. */
  close(): void;
}

/** Shows the icon. It is updated only if the summary changes. */
export function createTray({ Tray, Menu, nativeImage, platform, icons, actions, summary }: TrayOptions): AppTray {
  const imageOf = (status: AppStatus) => {
    // macOS colours template images itself. All systems find the larger image by its name.
    const image = nativeImage.createFromPath(
      join(icons, platform === 'darwin' ? `${status}Template.png` : `${status}.png`),
    );
    if (platform === 'darwin') image.setTemplateImage(true);
    return image;
  };

  const first = summary();
  const tray = new Tray(imageOf(first.status));
  let shown: { status: AppStatus; all: string } = { status: first.status, all: '' };
  let timer: NodeJS.Timeout | null = null;
  let closed = false;

  const draw = (next: Summary) => {
    const all = JSON.stringify(next);
    if (all === shown.all) return;
    if (next.status !== shown.status) tray.setImage(imageOf(next.status));
    shown = { status: next.status, all };
    tray.setToolTip(`Berth: ${next.text}`);
    tray.setContextMenu(Menu.buildFromTemplate(trayMenu(next, actions)));
  };

  draw(first);
  // On macOS a click opens the menu. On other systems the right mouse button does.
  if (platform !== 'darwin') tray.on('click', () => actions.show());
  tray.on('drop-files', (_event, paths) => actions.publishPaths(paths));

  return {
    update: () => {
      if (closed) return;
      timer ??= setTimeout(() => {
        timer = null;
        draw(summary());
      }, UPDATE_EVERY_MS);
    },
    close: () => {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      tray.destroy();
    },
  };
}
