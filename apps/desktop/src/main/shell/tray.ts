import { join } from 'node:path';
import type { Menu, NativeImage, Tray } from 'electron';
import type { AppStatus, Summary } from '../backend.ts';
import { type TrayActions, trayMenu } from './tray-menu.ts';

/** How often the tray changes at most, however fast things go. */
const UPDATE_EVERY_MS = 250;

/** What the tray needs. */
export interface TrayOptions {
  Tray: new (image: NativeImage) => Tray;
  Menu: Pick<typeof Menu, 'buildFromTemplate'>;
  nativeImage: { createFromPath(path: string): NativeImage };
  platform: string;
  /** The folder with the icons, two for each status and system. */
  icons: string;
  actions: TrayActions & { publishPaths(paths: readonly string[]): void };
  summary(): Summary;
}

/** The icon in the tray, or in the menu bar. */
export interface AppTray {
  /** Something changed: what is shown follows within {@link UPDATE_EVERY_MS}. */
  update(): void;
  /** Takes the icon away. */
  close(): void;
}

/** Shows the icon. It says what the summary says, and is touched only when that changes. */
export function createTray({ Tray, Menu, nativeImage, platform, icons, actions, summary }: TrayOptions): AppTray {
  const imageOf = (status: AppStatus) => {
    // macOS colours the pictures of its menu bar itself, and finds the larger ones by their name, as the others do.
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
  // On macOS a click opens the menu; elsewhere it is the right button that does.
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
