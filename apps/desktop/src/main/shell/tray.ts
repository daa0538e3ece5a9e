import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Menu as MenuType, MenuItemConstructorOptions, NativeImage, Rectangle } from 'electron';
import type { ElectronModule } from '../app-options.ts';
import type { AppStatus, Summary } from '../backend.ts';
import type { Actions } from './actions.ts';
import type { DropWindow } from './drop-window.ts';

/** The shortest time between two updates of the tray, in milliseconds. */
const UPDATE_EVERY_MS = 250;

/** The variants of the icons. The panels of Linux desktops are larger than the tray of Windows. */
const VARIANTS: Readonly<Record<string, string>> = { darwin: 'Template', linux: 'Large' };

interface TrayOptions extends Pick<ElectronModule, 'Menu' | 'nativeImage' | 'screen' | 'Tray'> {
  platform: string;
  /** The folder of the icons. Each status has icons in several sizes for each system. */
  icons: string;
  actions: Actions;
  dropWindow: Pick<DropWindow, 'current' | 'show' | 'toggle'>;
  summary(): Summary;
}

/**
 * Shows the icon in the tray or menu bar. A click opens or closes the drop window, a right click opens the menu. Linux desktops decide
 * for themselves which click opens the menu, so the menu has the drop window too. The icon is updated only if the summary changes.
 */
export function createTray(options: TrayOptions) {
  const { Tray, Menu, nativeImage, screen, platform, icons, actions, dropWindow, summary } = options;
  const imageOf = (status: AppStatus): NativeImage => {
    // All systems find the images for denser screens by their names.
    const image = nativeImage.createFromPath(join(icons, `${status}${VARIANTS[platform] ?? ''}.png`));
    // macOS colours template images itself.
    if (platform === 'darwin') image.setTemplateImage(true);
    return image;
  };

  let shownSummary = summary();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const tray = new Tray(imageOf(shownSummary.status));
  drawText();
  tray.on('click', () => dropWindow.toggle(placeOfIcon()));
  // On macOS, an icon with a menu of its own has no clicks, so the menu is opened here.
  if (platform === 'darwin') tray.on('right-click', () => tray.popUpContextMenu(menuOf(shownSummary)));
  tray.on('drag-enter', () => dropWindow.show(placeOfIcon(), false));
  // Once it has the focus, a click elsewhere closes the window.
  tray.on('drag-end', () => dropWindow.current()?.focus());
  tray.on('drop-files', (_event, paths) => actions.publishPaths(paths));

  function menuOf(shown: Summary): MenuType {
    return Menu.buildFromTemplate(trayMenu(shown, actions, () => dropWindow.show(placeOfIcon())));
  }

  /** Linux does not report the place of the icon, but the pointer is there when the user clicks it. */
  function placeOfIcon(): Rectangle {
    const bounds = tray.getBounds();
    return bounds.width > 0 ? bounds : { ...screen.getCursorScreenPoint(), width: 0, height: 0 };
  }

  function drawText(): void {
    tray.setToolTip(`Berth: ${shownSummary.text}`);
    if (platform !== 'darwin') tray.setContextMenu(menuOf(shownSummary));
  }

  function redraw(): void {
    timer = undefined;
    const { status } = shownSummary;
    const nextSummary = summary();
    if (isDeepStrictEqual(nextSummary, shownSummary)) return;
    shownSummary = nextSummary;
    if (shownSummary.status !== status) tray.setImage(imageOf(shownSummary.status));
    drawText();
  }

  return {
    /** Schedules an update with the current summary, within {@link UPDATE_EVERY_MS}. */
    update(): void {
      if (!isClosed) timer ??= setTimeout(redraw, UPDATE_EVERY_MS);
    },
    close(): void {
      isClosed = true;
      clearTimeout(timer);
      tray.destroy();
    },
  };
}

const SEPARATOR: MenuItemConstructorOptions = { type: 'separator' };

/** The menu of the tray. The first entry is the status, because some systems show no tooltip. */
function trayMenu(
  { text, links, folders }: Summary,
  actions: Actions,
  showDropWindow: () => void,
): MenuItemConstructorOptions[] {
  return [
    { label: text, enabled: false },
    SEPARATOR,
    { label: 'Open Berth', click: () => actions.show() },
    { label: 'Open drop window', click: showDropWindow },
    { label: 'Publish a folder…', click: () => actions.publishFolder() },
    ...menuSection(links.map((link) => linkItem(link, actions))),
    ...menuSection([...folders.map((folder) => folderItem(folder, actions)), ...allFolders(folders, actions)]),
    SEPARATOR,
    { label: 'Show logs', click: () => actions.showLogs() },
    { label: 'Quit Berth', click: () => actions.quit() },
  ];
}

const menuSection = (items: readonly MenuItemConstructorOptions[]) => (items.length === 0 ? [] : [SEPARATOR, ...items]);

/** Escapes `&`, which marks the access key in a menu. */
const escapeAccessKey = (name: string) => name.replaceAll('&', '&&');

function linkItem({ name, url }: Summary['links'][number], actions: Actions): MenuItemConstructorOptions {
  return {
    label: escapeAccessKey(name),
    submenu: [
      { label: 'Copy link', click: () => actions.copyLink(url) },
      { label: 'Open in browser', click: () => actions.openLink(url) },
    ],
  };
}

function folderItem({ id, name, paused }: Summary['folders'][number], actions: Actions): MenuItemConstructorOptions {
  return paused
    ? { label: `Resume ${escapeAccessKey(name)}`, click: () => actions.resume(id) }
    : { label: `Pause ${escapeAccessKey(name)}`, click: () => actions.pause(id) };
}

/** The entry that pauses or resumes all folders, if there are several folders. */
function allFolders(folders: Summary['folders'], actions: Actions): MenuItemConstructorOptions[] {
  if (folders.length < 2) return [];
  const activeFolders = folders.filter(({ paused }) => !paused);
  return activeFolders.length > 0
    ? [{ label: 'Pause all', click: () => activeFolders.forEach(({ id }) => actions.pause(id)) }]
    : [{ label: 'Resume all', click: () => folders.forEach(({ id }) => actions.resume(id)) }];
}
