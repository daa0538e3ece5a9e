import { parseWebAddress } from '@berth/client';
import type { OpenDialogOptions } from 'electron';
import type { ElectronModule } from '../app-options.ts';
import type { Native } from '../native.ts';
import type { MainWindow } from './window.ts';

interface NativeOptions extends Pick<Native, 'keychain' | 'loginItem' | 'notify' | 'restartToUpdate'> {
  electron: Pick<ElectronModule, 'clipboard' | 'dialog' | 'nativeTheme' | 'shell'>;
  window: MainWindow;
}

/** Implements {@link Native} with Electron. */
export function createNative({ electron, window, ...parts }: NativeOptions): Native {
  const { clipboard, dialog, nativeTheme, shell } = electron;
  const pickPaths = async (options: OpenDialogOptions) => {
    const parentWindow = window.current();
    const result = await (parentWindow === null
      ? dialog.showOpenDialog(options)
      : dialog.showOpenDialog(parentWindow, options));
    return result.canceled ? [] : result.filePaths;
  };
  return {
    ...parts,
    copyText: (text) => void clipboard.writeText(text),
    async openExternal(url) {
      // For any other scheme, the system would start the program that is registered for this scheme.
      const address = parseWebAddress(url);
      if (address === null) throw new Error('The browser opens only http and https addresses without a user name.');
      await shell.openExternal(address.href);
    },
    showFolder: (path) => shell.showItemInFolder(path),
    pickFolder: async () => {
      const [path] = await pickPaths({
        title: 'Publish a folder',
        buttonLabel: 'Publish',
        properties: ['openDirectory'],
      });
      return path ?? null;
    },
    pickFiles: () =>
      pickPaths({ title: 'Publish files', buttonLabel: 'Publish', properties: ['openFile', 'multiSelections'] }),
    isFocused: () => window.isFocused(),
    showWindow: () => window.show(),
    setTheme: (theme) => void (nativeTheme.themeSource = theme),
  };
}
