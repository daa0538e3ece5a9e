import type { BrowserWindow, BrowserWindowConstructorOptions, NativeTheme } from 'electron';

/** The colour of a window before its page is drawn, which equals the background of the page. */
const BACKGROUND_COLOURS = { light: '#fbfbfa', dark: '#191b1e' };

/** The maximum number of automatic reloads after crashes. Afterwards the page is reloaded only when the user opens the window. */
const MAX_RELOADS = 3;

/** The options of every window. Its page runs in a sandbox with an isolated context and without Node. Source: desktop §6. */
export function pageOptions(preload: string, nativeTheme: NativeTheme): BrowserWindowConstructorOptions {
  return {
    title: 'Berth',
    show: false,
    backgroundColor: backgroundOf(nativeTheme),
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
      plugins: false,
      navigateOnDragDrop: false,
      spellcheck: false,
    },
  };
}

/** Returns the background of the page in the current theme. */
export function backgroundOf({ shouldUseDarkColors }: NativeTheme): string {
  return shouldUseDarkColors ? BACKGROUND_COLOURS.dark : BACKGROUND_COLOURS.light;
}

/** Reloads the page after a crash. Nothing is lost, because the page gets its whole state from the app. */
export function reloadWhenGone({ webContents }: BrowserWindow): void {
  let reloads = 0;
  webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit' || reloads === MAX_RELOADS) return;
    reloads += 1;
    webContents.reload();
  });
}
