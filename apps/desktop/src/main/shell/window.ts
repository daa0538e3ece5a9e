import type { BrowserWindow, BrowserWindowConstructorOptions, ContextMenuParams, Rectangle } from 'electron';
import type { ElectronModule } from '../app-options.ts';
import { PAGE_URL } from './app-protocol.ts';
import { backgroundOf, pageOptions, reloadWhenGone } from './page-window.ts';
import { fitWindow, MIN_SIZE, readWindowState, writeWindowState } from './window-state.ts';

function windowOptions(
  { platform, preload, icon, nativeTheme }: MainWindowOptions,
  bounds: Partial<Rectangle>,
): BrowserWindowConstructorOptions {
  return {
    ...bounds,
    minWidth: MIN_SIZE.width,
    minHeight: MIN_SIZE.height,
    ...pageOptions(preload, nativeTheme),
    ...(platform === 'darwin' ? { titleBarStyle: 'hiddenInset' as const } : { autoHideMenuBar: true }),
    ...(icon === null ? {} : { icon }),
  };
}

interface MainWindowOptions extends Pick<ElectronModule, 'BrowserWindow' | 'nativeTheme' | 'screen'> {
  platform: string;
  preload: string;
  /** The path of the icon, for systems that take the icon from the window. */
  icon: string | null;
  stateFile: string;
  /** Returns true if closing the window only hides it. */
  staysWhenClosed(): boolean;
  /** Called when the window comes to the front. */
  onFocus(): void;
  /** Called when the page is loaded or reloaded. */
  onLoading(): void;
  /** Called on a right click on the page. */
  onContextMenu(params: ContextMenuParams): void;
}

type Appearance = 'shown' | 'hidden' | 'minimized';

export type MainWindow = ReturnType<typeof createMainWindow>;

/** Creates the main window of the app. The window is closed until `open` is called. */
export function createMainWindow(options: MainWindowOptions) {
  const { BrowserWindow, nativeTheme, screen, stateFile, staysWhenClosed, onFocus, onLoading, onContextMenu } = options;
  let openWindow: BrowserWindow | null = null;
  nativeTheme.on('updated', () => openWindow?.setBackgroundColor(backgroundOf(nativeTheme)));

  /** Opens the window. Must not be called while the window is open. */
  function open(appearance: Appearance): void {
    const areas = screen.getAllDisplays().map(({ workArea }) => workArea);
    const { maximized, ...bounds } = fitWindow(readWindowState(stateFile), areas);
    const window = new BrowserWindow(windowOptions(options, bounds));
    openWindow = window;
    const mustMaximize = showFirst(window, appearance, maximized);
    window.on('focus', onFocus);
    window.webContents.on('did-start-loading', onLoading);
    window.webContents.on('context-menu', (_event, params) => onContextMenu(params));
    window.on('close', (event) => {
      writeWindowState(stateFile, window.getNormalBounds(), mustMaximize() || window.isMaximized());
      if (!staysWhenClosed()) return;
      event.preventDefault();
      hide(window);
    });
    window.on('closed', () => {
      if (openWindow === window) openWindow = null;
    });
    reloadWhenGone(window);
    window.loadURL(PAGE_URL).catch(() => undefined);
  }

  /** Brings the window to the front. Opens the window if necessary. */
  function showWindow(): void {
    if (openWindow === null) return open('shown');
    if (openWindow.webContents.isCrashed()) openWindow.webContents.reload();
    if (openWindow.isMinimized()) openWindow.restore();
    openWindow.show();
    openWindow.focus();
  }

  /** Returns the open window, hidden or not; `null` if no window is open. */
  const current = () => openWindow;
  return { open, show: showWindow, current, isFocused: () => openWindow?.isFocused() ?? false };
}

/**
 * Shows a window when its page is drawn. Only a visible window can be maximized, so a hidden window is maximized when it is first
 * shown. @returns A function that returns whether the window must still be maximized.
 */
function showFirst(window: BrowserWindow, appearance: Appearance, maximized: boolean): () => boolean {
  let mustMaximize = maximized;
  const maximize = () => {
    if (!mustMaximize) return;
    mustMaximize = false;
    window.maximize();
  };
  if (appearance === 'minimized') window.once('restore', maximize);
  else window.once('show', maximize);
  window.once('ready-to-show', () => {
    if (appearance === 'minimized') window.minimize();
    if (appearance !== 'shown') return;
    maximize();
    window.show();
  });
  return () => mustMaximize;
}

/** Hides a window. Leaves full screen first, because macOS would leave the screen black. */
function hide(window: BrowserWindow): void {
  if (!window.isFullScreen()) return window.hide();
  window.once('leave-full-screen', () => window.hide());
  window.setFullScreen(false);
}
