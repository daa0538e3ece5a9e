import { parseWebAddress } from '@berth/client';
import type { OpenDialogOptions } from 'electron';
import type { ElectronModule } from '../app-options.ts';
import type { Native, PickReason } from '../native.ts';
import type { MainWindow } from './window.ts';

interface NativeOptions extends Pick<Native, 'keychain' | 'loginItem' | 'notify' | 'restartToUpdate' | 'showWindow'> {
  electron: Pick<ElectronModule, 'clipboard' | 'dialog' | 'nativeTheme' | 'shell'>;
  window: MainWindow;
}

/** The title and the button of the dialog for a folder. */
const FOLDER_DIALOGS: Readonly<Record<PickReason, readonly [title: string, button: string]>> = {
  publish: ['Publish a folder', 'Publish'],
  watch: ['Watch a folder', 'Choose'],
  locate: ['Find the folder that was moved', 'Choose'],
};

/** Implements {@link Native} with Electron. */
export function createNative({ electron, window, ...parts }: NativeOptions): Native {
  const { clipboard, dialog, nativeTheme, shell } = electron;
  const pickPaths = async (title: string, buttonLabel: string, properties: OpenDialogOptions['properties']) => {
    // macOS shows the message instead of the title.
    const options: OpenDialogOptions = { title, message: title, buttonLabel, properties: properties ?? [] };
    const parentWindow = window.current();
    const result = await (parentWindow === null
      ? dialog.showOpenDialog(options)
      : dialog.showOpenDialog(parentWindow, options));
    return result.canceled ? [] : result.filePaths;
  };
  return {
    ...parts,
    copyText: async (text) => clipboard.writeText(text),
    async openExternal(url) {
      // For any other scheme, the system would start the program that is registered for this scheme.
      const address = parseWebAddress(url);
      if (address === null) throw new Error('The browser opens only http and https addresses without a user name.');
      await shell.openExternal(address.href);
    },
    showFolder: (path) => shell.showItemInFolder(path),
    pickFolder: async (reason) => {
      const [path] = await pickPaths(...FOLDER_DIALOGS[reason], ['openDirectory']);
      return path ?? null;
    },
    pickFiles: () => pickPaths('Publish files', 'Publish', ['openFile', 'multiSelections']),
    setTheme: (theme) => void (nativeTheme.themeSource = theme),
  };
}
