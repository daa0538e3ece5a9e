import type { MenuItemConstructorOptions } from 'electron';
import { PAGES } from '../../shared/contract.ts';
import type { Actions } from './actions.ts';

interface MenuOptions {
  platform: string;
  /** True in a package, whose menu has no entries to reload or inspect the page. */
  packaged: boolean;
}

type Role = MenuItemConstructorOptions['role'];

/** Creates entries with the labels and actions of the system. `null` is a separator. */
const entries = (...roles: (Role | null)[]): MenuItemConstructorOptions[] =>
  roles.map((role) => (role === null ? { type: 'separator' } : { role }));

/** The menu of the app, in the usual form of each system. */
export function menuTemplate(
  { platform, packaged }: MenuOptions,
  actions: Pick<Actions, 'publishFolder' | 'showLogs' | 'showPage'>,
): MenuItemConstructorOptions[] {
  const isMac = platform === 'darwin';
  const publish = { label: 'Publish folder…', accelerator: 'CmdOrCtrl+O', click: () => actions.publishFolder() };
  const settings = { label: 'Settings…', accelerator: 'CmdOrCtrl+,', click: () => actions.showPage('settings') };
  const pages = PAGES.map((page, index) => ({
    label: page.charAt(0).toUpperCase() + page.slice(1),
    accelerator: `CmdOrCtrl+${index + 1}`,
    click: () => actions.showPage(page),
  }));
  const macAppMenu = [
    ...entries('about', null),
    settings,
    ...entries(null, 'services', null, 'hide', 'hideOthers', 'unhide', null, 'quit'),
  ];
  const fileMenu = isMac
    ? [publish, ...entries(null, 'close')]
    : [publish, ...entries(null), settings, ...entries(null, 'close', 'quit')];
  return [
    ...(isMac ? [{ role: 'appMenu' as const, submenu: macAppMenu }] : []),
    { label: '&File', submenu: fileMenu },
    { label: '&Edit', submenu: entries('undo', 'redo', null, 'cut', 'copy', 'paste', 'delete', 'selectAll') },
    {
      label: '&View',
      submenu: [
        ...pages,
        ...entries(null, 'resetZoom', 'zoomIn', 'zoomOut', null, 'togglefullscreen'),
        ...(packaged ? [] : entries(null, 'reload', 'toggleDevTools')),
      ],
    },
    { role: 'windowMenu' },
    {
      role: 'help',
      submenu: [{ label: 'Show logs', click: () => actions.showLogs() }, ...(isMac ? [] : entries(null, 'about'))],
    },
  ];
}
