import type { MenuItemConstructorOptions } from 'electron';
import { type Page, PAGES } from '../../shared/contract.ts';
import type { Actions } from './actions.ts';

type MenuActions = Pick<Actions, 'publishFolder' | 'showPage'>;

/** The options of the menu. */
export interface MenuOptions {
  platform: string;
  /** True in a package, where the menu has no entries to reload or inspect the page. */
  packaged: boolean;
}

const TITLES: Record<Page, string> = {
  publish: 'Publish',
  folders: 'Folders',
  sites: 'Sites',
  domains: 'Domains',
  activity: 'Activity',
  settings: 'Settings',
};

const SEPARATOR: MenuItemConstructorOptions = { type: 'separator' };

/** The menu of the app, in the usual form of each system. */
export function menuTemplate({ platform, packaged }: MenuOptions, actions: MenuActions): MenuItemConstructorOptions[] {
  const isMac = platform === 'darwin';
  const settings: MenuItemConstructorOptions = {
    label: 'Settings…',
    accelerator: 'CmdOrCtrl+,',
    click: () => actions.showPage('settings'),
  };
  const file: MenuItemConstructorOptions[] = [
    { label: 'Publish folder…', accelerator: 'CmdOrCtrl+O', click: () => actions.publishFolder() },
    SEPARATOR,
    ...(isMac ? [] : [settings, SEPARATOR]),
    { role: 'close' },
    ...(isMac ? [] : [{ role: 'quit' as const }]),
  ];
  return [
    ...(isMac ? [macAppMenu(settings)] : []),
    { label: '&File', submenu: file },
    { label: '&Edit', submenu: editMenu() },
    { label: '&View', submenu: viewMenu(packaged, actions) },
    { role: 'windowMenu' },
  ];
}

function macAppMenu(settings: MenuItemConstructorOptions): MenuItemConstructorOptions {
  return {
    role: 'appMenu',
    submenu: [
      { role: 'about' },
      SEPARATOR,
      settings,
      SEPARATOR,
      { role: 'services' },
      SEPARATOR,
      { role: 'hide' },
      { role: 'hideOthers' },
      { role: 'unhide' },
      SEPARATOR,
      { role: 'quit' },
    ],
  };
}

function editMenu(): MenuItemConstructorOptions[] {
  return [
    { role: 'undo' },
    { role: 'redo' },
    SEPARATOR,
    { role: 'cut' },
    { role: 'copy' },
    { role: 'paste' },
    { role: 'delete' },
    { role: 'selectAll' },
  ];
}

function viewMenu(packaged: boolean, actions: MenuActions): MenuItemConstructorOptions[] {
  const pages = PAGES.map((page, at): MenuItemConstructorOptions => ({
    label: TITLES[page],
    accelerator: `CmdOrCtrl+${at + 1}`,
    click: () => actions.showPage(page),
  }));
  return [
    ...pages,
    SEPARATOR,
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    SEPARATOR,
    { role: 'togglefullscreen' },
    ...(packaged ? [] : [SEPARATOR, { role: 'reload' as const }, { role: 'toggleDevTools' as const }]),
  ];
}
