import type { MenuItemConstructorOptions } from 'electron';
import type { Summary } from '../backend.ts';
import type { Actions } from './actions.ts';

const SEPARATOR: MenuItemConstructorOptions = { type: 'separator' };

/** The menu of the tray. Its first entry is the status, because some systems show no text at the icon. */
export function trayMenu({ text, links, folders }: Summary, actions: Actions): MenuItemConstructorOptions[] {
  return [
    { label: text, enabled: false },
    SEPARATOR,
    { label: 'Open Berth', click: () => actions.show() },
    { label: 'Publish a folder…', click: () => actions.publishFolder() },
    ...section(links.map((link) => linkItem(link, actions))),
    ...section([...folders.map((folder) => folderItem(folder, actions)), ...allFolders(folders, actions)]),
    SEPARATOR,
    { label: 'Quit Berth', click: () => actions.quit() },
  ];
}

const section = (items: readonly MenuItemConstructorOptions[]) => (items.length === 0 ? [] : [SEPARATOR, ...items]);

/** Escapes `&`, which marks the access key in a menu. */
const plain = (name: string) => name.replaceAll('&', '&&');

function linkItem({ name, url }: Summary['links'][number], actions: Actions): MenuItemConstructorOptions {
  return {
    label: plain(name),
    submenu: [
      { label: 'Copy link', click: () => actions.copyLink(url) },
      { label: 'Open in browser', click: () => actions.openLink(url) },
    ],
  };
}

function folderItem({ id, name, paused }: Summary['folders'][number], actions: Actions): MenuItemConstructorOptions {
  return paused
    ? { label: `Resume ${plain(name)}`, click: () => actions.resume(id) }
    : { label: `Pause ${plain(name)}`, click: () => actions.pause(id) };
}

/** An entry to pause or resume all folders, if there are several. */
function allFolders(folders: Summary['folders'], actions: Actions): MenuItemConstructorOptions[] {
  if (folders.length < 2) return [];
  const running = folders.filter(({ paused }) => !paused);
  return running.length > 0
    ? [{ label: 'Pause all', click: () => running.forEach(({ id }) => actions.pause(id)) }]
    : [{ label: 'Resume all', click: () => folders.forEach(({ id }) => actions.resume(id)) }];
}
