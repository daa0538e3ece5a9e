import type { ContextMenuParams, MenuItemConstructorOptions } from 'electron';
import type { Actions } from './actions.ts';

type Params = Pick<ContextMenuParams, 'editFlags' | 'isEditable' | 'linkURL' | 'selectionText'>;

/** The menu of a right click on the page: editing in fields, copying a selection, copying and opening a link. Empty for all else. */
export function contextMenuTemplate(
  { editFlags, isEditable, linkURL, selectionText }: Params,
  actions: Pick<Actions, 'copyLink' | 'openLink'>,
): MenuItemConstructorOptions[] {
  if (isEditable)
    return [
      { role: 'undo', enabled: editFlags.canUndo },
      { role: 'redo', enabled: editFlags.canRedo },
      { type: 'separator' },
      { role: 'cut', enabled: editFlags.canCut },
      { role: 'copy', enabled: editFlags.canCopy },
      { role: 'paste', enabled: editFlags.canPaste },
      { type: 'separator' },
      { role: 'selectAll', enabled: editFlags.canSelectAll },
    ];
  const isWeb = /^https?:\/\//i.test(linkURL);
  const link: MenuItemConstructorOptions[] = isWeb
    ? [
        { label: 'Open link in browser', click: () => actions.openLink(linkURL) },
        { label: 'Copy link', click: () => actions.copyLink(linkURL) },
      ]
    : [];
  const copy: MenuItemConstructorOptions[] = selectionText.trim() === '' ? [] : [{ role: 'copy' }];
  return link.length > 0 && copy.length > 0 ? [...link, { type: 'separator' }, ...copy] : [...link, ...copy];
}
