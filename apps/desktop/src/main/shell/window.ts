import type { BrowserWindow, BrowserWindowConstructorOptions, NativeTheme, Screen } from 'electron';
import { PAGE_URL } from './app-protocol.ts';
import { fitWindow, MIN_SIZE, readWindowState, type WindowState, writeWindowState } from './window-state.ts';

/** What the window is painted with before its page is drawn: the background of the page. */
const BACKGROUND = { light: '#fbfbfa', dark: '#191b1e' };

/** A page that falls over again and again is not loaded for ever, but when somebody wants to see it. */
const MOST_RELOADS = 3;

/** What decides how the window is. */
export interface WindowLook {
  platform: string;
  dark: boolean;
  state: WindowState;
  /** The compiled preload. */
  preload: string;
  /** The picture in the task bar, for systems that take it from the window. */
  icon: string | null;
}

/** How the one window is made. Its page is alone in a sandbox: it has no Node, and no world but its own. */
export function windowOptions({ platform, dark, state, preload, icon }: WindowLook): BrowserWindowConstructorOptions {
  const { maximized: _, ...bounds } = state;
  return {
    ...bounds,
    minWidth: MIN_SIZE.width,
    minHeight: MIN_SIZE.height,
    title: 'Berth',
    show: false,
    backgroundColor: dark ? BACKGROUND.dark : BACKGROUND.light,
    ...(platform === 'darwin' ? { titleBarStyle: 'hiddenInset' as const } : { autoHideMenuBar: true }),
    ...(icon === null ? {} : { icon }),
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

/** What the window needs. */
export interface MainWindowOptions {
  BrowserWindow: new (options: BrowserWindowConstructorOptions) => BrowserWindow;
  screen: Pick<Screen, 'getAllDisplays'>;
  nativeTheme: Pick<NativeTheme, 'on' | 'shouldUseDarkColors'>;
  platform: string;
  preload: string;
  icon: string | null;
  /** Where its place is remembered. */
  stateFile: string;
  /** Whether closing it hides it. */
  staysWhenClosed(): boolean;
  /** It came to the front. */
  onFocus(): void;
  /** Its page is loaded, for the first time or anew. */
  onLoading(): void;
}

/** How the window comes up at a start. */
export type Appearance = 'shown' | 'hidden' | 'minimized';

/** The one window of the app. */
export interface MainWindow {
  /** The window that is open, hidden or not; `null` when there is none. */
  current(): BrowserWindow | null;
  /** Opens it. There is none yet, or no more. */
  open(appearance: Appearance): void;
  /** Brings it to the front, and opens it when there is none. */
  show(): void;
  isLookedAt(): boolean;
}

/** Makes what holds the one window. No window is made before it is opened. */
export function createMainWindow(options: MainWindowOptions): MainWindow {
  const { BrowserWindow, screen, nativeTheme, stateFile } = options;
  let window: BrowserWindow | null = null;

  const open = (appearance: Appearance) => {
    const areas = screen.getAllDisplays().map(({ workArea }) => workArea);
    const state = fitWindow(readWindowState(stateFile), areas);
    const opened = new BrowserWindow(windowOptions({ ...options, dark: nativeTheme.shouldUseDarkColors, state }));
    window = opened;
    // Only a window that is seen can be maximised: one that starts without being shown is when it is.
    let maximizes = state.maximized;
    const maximize = () => {
      if (!maximizes) return;
      maximizes = false;
      opened.maximize();
    };
    if (appearance === 'minimized') opened.once('restore', maximize);
    else opened.once('show', maximize);
    opened.once('ready-to-show', () => {
      if (appearance === 'minimized') opened.minimize();
      if (appearance !== 'shown') return;
      maximize();
      opened.show();
    });
    opened.on('focus', () => options.onFocus());
    opened.webContents.on('did-start-loading', () => options.onLoading());
    opened.on('close', (event) => {
      writeWindowState(stateFile, opened.getNormalBounds(), maximizes || opened.isMaximized());
      if (!options.staysWhenClosed()) return;
      event.preventDefault();
      hide(opened);
    });
    opened.on('closed', () => {
      if (window === opened) window = null;
    });
    reloadWhenGone(opened);
    opened.loadURL(PAGE_URL).catch(() => undefined);
  };

  const show = () => {
    if (window === null) return open('shown');
    if (window.webContents.isCrashed()) window.webContents.reload();
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
  };

  nativeTheme.on('updated', () =>
    window?.setBackgroundColor(nativeTheme.shouldUseDarkColors ? BACKGROUND.dark : BACKGROUND.light),
  );

  return { current: () => window, open, show, isLookedAt: () => window?.isFocused() ?? false };
}

/** Hides a window. One that fills the screen goes back first: macOS would leave the screen black. */
function hide(window: BrowserWindow): void {
  if (!window.isFullScreen()) return window.hide();
  window.once('leave-full-screen', () => window.hide());
  window.setFullScreen(false);
}

/** A page that fell over is loaded anew: all that it shows is the app's, not its own. */
function reloadWhenGone({ webContents }: BrowserWindow): void {
  let reloads = 0;
  webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit' || reloads === MOST_RELOADS) return;
    reloads += 1;
    webContents.reload();
  });
}
