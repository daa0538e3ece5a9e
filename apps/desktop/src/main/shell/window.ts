import type { BrowserWindow, BrowserWindowConstructorOptions, NativeTheme, Rectangle } from 'electron';
import type { ElectronModule } from '../app-options.ts';
import { PAGE_URL } from './app-protocol.ts';
import { fitWindow, MIN_SIZE, readWindowState, writeWindowState } from './window-state.ts';

/** The colour of the window before its page is drawn: the background of the page. */
const BACKGROUND = { light: '#fbfbfa', dark: '#191b1e' };

/** The max number of automatic reloads after crashes. After that, the page is reloaded only when the user opens the window. */
const MAX_RELOADS = 3;

/** The options of the only window. Its page runs in a sandbox with an isolated context and without Node. */
function windowOptions(
  { platform, preload, icon, nativeTheme }: MainWindowOptions,
  bounds: Partial<Rectangle>,
): BrowserWindowConstructorOptions {
  return {
    ...bounds,
    minWidth: MIN_SIZE.width,
    minHeight: MIN_SIZE.height,
    title: 'Berth',
    show: false,
    backgroundColor: backgroundOf(nativeTheme),
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
export interface MainWindowOptions extends Pick<ElectronModule, 'BrowserWindow' | 'nativeTheme' | 'screen'> {
  platform: string;
  /** The path of the compiled preload. */
  preload: string;
  /** The path of the icon, for systems that take it from the window. */
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

/** The only window of the app. It is closed until {@link MainWindow.open} is called. */
export class MainWindow {
  readonly #options: MainWindowOptions;
  #window: BrowserWindow | null = null;

  constructor(options: MainWindowOptions) {
    const { nativeTheme } = options;
    this.#options = options;
    nativeTheme.on('updated', () => this.#window?.setBackgroundColor(backgroundOf(nativeTheme)));
  }

  /** The open window, hidden or not; `null` if no window is open. */
  current(): BrowserWindow | null {
    return this.#window;
  }

  isFocused(): boolean {
    return this.#window?.isFocused() ?? false;
  }

  /** Opens the window. There must be no open window. */
  open(appearance: Appearance): void {
    const { BrowserWindow, screen, stateFile, staysWhenClosed, onFocus, onLoading } = this.#options;
    const areas = screen.getAllDisplays().map(({ workArea }) => workArea);
    const { maximized, ...bounds } = fitWindow(readWindowState(stateFile), areas);
    const window = new BrowserWindow(windowOptions(this.#options, bounds));
    this.#window = window;
    const mustMaximize = showFirst(window, appearance, maximized);
    window.on('focus', onFocus);
    window.webContents.on('did-start-loading', onLoading);
    window.on('close', (event) => {
      writeWindowState(stateFile, window.getNormalBounds(), mustMaximize() || window.isMaximized());
      if (!staysWhenClosed()) return;
      event.preventDefault();
      hide(window);
    });
    window.on('closed', () => {
      if (this.#window === window) this.#window = null;
    });
    reloadWhenGone(window);
    window.loadURL(PAGE_URL).catch(() => undefined);
  }

  /** Brings the window to the front. Opens it if necessary. */
  show(): void {
    const window = this.#window;
    if (window === null) return this.open('shown');
    if (window.webContents.isCrashed()) window.webContents.reload();
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
  }
}

function backgroundOf({ shouldUseDarkColors }: NativeTheme): string {
  return shouldUseDarkColors ? BACKGROUND.dark : BACKGROUND.light;
}

/**
 * Shows a window when its page is drawn. Only a visible window can be maximized, so a hidden one is maximized when it is first
 * shown.
 *
 * @returns A function that returns whether the window still has to be maximized.
 */
function showFirst(window: BrowserWindow, appearance: Appearance, maximized: boolean): () => boolean {
  let maximizes = maximized;
  const maximize = () => {
    if (!maximizes) return;
    maximizes = false;
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
  return () => maximizes;
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
