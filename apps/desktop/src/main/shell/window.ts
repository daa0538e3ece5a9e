import type { BrowserWindow, BrowserWindowConstructorOptions, NativeTheme, Screen } from 'electron';
import { PAGE_URL } from './app-protocol.ts';
import { fitWindow, MIN_SIZE, readWindowState, type WindowState, writeWindowState } from './window-state.ts';

/** The colour of the window before its page is drawn: the background of the page. */
const BACKGROUND = { light: '#fbfbfa', dark: '#191b1e' };

/** The max number of automatic reloads after crashes. After that, the page is reloaded only when the user opens the window. */
const MAX_RELOADS = 3;

/** The parameters of {@link windowOptions}. */
interface PageWindowOptions {
  platform: string;
  dark: boolean;
  state: WindowState;
  /** The path of the compiled preload. */
  preload: string;
  /** The path of the icon, for systems that take it from the window. */
  icon: string | null;
}

/** The options of the only window. Its page runs in a sandbox with an isolated context and without Node. */
function windowOptions({ platform, dark, state, preload, icon }: PageWindowOptions): BrowserWindowConstructorOptions {
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

/** The dependencies and options of {@link createMainWindow}. */
export interface MainWindowOptions {
  BrowserWindow: new (options: BrowserWindowConstructorOptions) => BrowserWindow;
  screen: Pick<Screen, 'getAllDisplays'>;
  nativeTheme: Pick<NativeTheme, 'on' | 'shouldUseDarkColors'>;
  platform: string;
  preload: string;
  icon: string | null;
  /** The file that stores the window's place. */
  stateFile: string;
  /** True if closing the window only hides it. */
  staysWhenClosed(): boolean;
  /** Called when the window comes to the front. */
  onFocus(): void;
  /** Called when its page is loaded or reloaded. */
  onLoading(): void;
}

/** How the window appears when the app starts. */
export type Appearance = 'shown' | 'hidden' | 'minimized';

/** The only window of the app. */
export interface MainWindow {
  /** The open window, hidden or not; `null` if no window is open. */
  current(): BrowserWindow | null;
  /** Opens the window. There must be no open window. */
  open(appearance: Appearance): void;
  /** Brings the window to the front. Opens it if necessary. */
  show(): void;
  isFocused(): boolean;
}

/** Creates the holder of the only window. It does not open a window yet. */
export function createMainWindow(options: MainWindowOptions): MainWindow {
  const { BrowserWindow, screen, nativeTheme, stateFile } = options;
  let window: BrowserWindow | null = null;

  const open = (appearance: Appearance) => {
    const areas = screen.getAllDisplays().map(({ workArea }) => workArea);
    const state = fitWindow(readWindowState(stateFile), areas);
    const opened = new BrowserWindow(windowOptions({ ...options, dark: nativeTheme.shouldUseDarkColors, state }));
    window = opened;
    // Only a visible window can be maximized, so a hidden one is maximized when it is first shown.
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

  return { current: () => window, open, show, isFocused: () => window?.isFocused() ?? false };
}

/** Hides a window. Leaves full screen first; otherwise macOS leaves the screen black. */
function hide(window: BrowserWindow): void {
  if (!window.isFullScreen()) return window.hide();
  window.once('leave-full-screen', () => window.hide());
  window.setFullScreen(false);
}

/** Reloads the page after a crash. Nothing is lost, because the page gets its whole state from the app. */
function reloadWhenGone({ webContents }: BrowserWindow): void {
  let reloads = 0;
  webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit' || reloads === MAX_RELOADS) return;
    reloads += 1;
    webContents.reload();
  });
}
