import type { BrowserWindow, BrowserWindowConstructorOptions, Rectangle } from 'electron';
import type { ElectronModule } from '../app-options.ts';
import { DROP_PAGE_URL } from './app-protocol.ts';
import { pageOptions, reloadWhenGone } from './page-window.ts';

/** The size of the page of the drop window, in pixels. */
export const DROP_WINDOW_SIZE = { width: 360, height: 540 };

/** The distance between the window and the tray icon, or the edge of the screen, in pixels. */
const GAP = 8;

/**
 * How long the window stays open after it has lost the focus, in milliseconds. A click on the tray icon also takes the focus from
 * the window, and the window must still be open then, so that the click closes it.
 */
const CLOSE_AFTER_MS = 150;

interface DropWindowOptions extends Pick<ElectronModule, 'BrowserWindow' | 'nativeTheme' | 'screen'> {
  platform: string;
  preload: string;
  /** The icon, for systems that take the icon from the window; `null` elsewhere. */
  icon: string | null;
}

/**
 * The small window at the tray icon, where the user drops folders and finds the last links. It exists only while it is open.
 *
 * On macOS it is a panel that closes when the user clicks elsewhere. On other systems it stays in front until the user closes it,
 * because a drag starts in another window, which takes the focus.
 */
export class DropWindow {
  readonly #options: DropWindowOptions;
  #window: BrowserWindow | null = null;
  #closing: NodeJS.Timeout | undefined;

  constructor(options: DropWindowOptions) {
    this.#options = options;
  }

  /** Returns the open window; `null` if it is closed. */
  readonly current = (): BrowserWindow | null => this.#window;

  isFocused(): boolean {
    return this.#window?.isFocused() ?? false;
  }

  /** Opens the window beside the tray icon, or closes it. */
  toggle(trayIcon: Rectangle): void {
    if (this.#window === null) this.show(trayIcon);
    else this.#window.close();
  }

  /**
   * Opens the window beside the tray icon, or brings it to the front.
   *
   * @param takesFocus False while the user drags something, because the drag must stay in its window.
   */
  show(trayIcon: Rectangle, takesFocus = true): void {
    clearTimeout(this.#closing);
    if (this.#window !== null) return void (takesFocus && this.#window.focus());
    const window = this.#create(trayIcon);
    this.#window = window;
    window.once('ready-to-show', () => {
      if (takesFocus) window.show();
      else window.showInactive();
    });
    window.loadURL(DROP_PAGE_URL).catch(() => undefined);
  }

  #create(trayIcon: Rectangle): BrowserWindow {
    const { BrowserWindow, nativeTheme, screen, platform, preload, icon } = this.#options;
    const { workArea } = screen.getDisplayNearestPoint(centreOf(trayIcon));
    const window = new BrowserWindow({
      ...pageOptions(preload, nativeTheme),
      ...placeBeside(trayIcon, workArea),
      ...frameOptions(platform),
      ...(icon === null ? {} : { icon }),
    });
    window.removeMenu();
    if (platform === 'darwin') {
      window.on('blur', () => {
        this.#closing = setTimeout(() => window.close(), CLOSE_AFTER_MS);
      });
      window.on('focus', () => clearTimeout(this.#closing));
    }
    window.webContents.on('before-input-event', (event, { type, key }) => {
      if (type !== 'keyDown' || key !== 'Escape') return;
      event.preventDefault();
      window.close();
    });
    window.on('closed', () => {
      clearTimeout(this.#closing);
      if (this.#window === window) this.#window = null;
    });
    reloadWhenGone(window);
    return window;
  }
}

function frameOptions(platform: string): BrowserWindowConstructorOptions {
  return {
    useContentSize: true,
    resizable: false,
    minimizable: false,
    maximizable: false,
    fullscreenable: false,
    skipTaskbar: true,
    alwaysOnTop: true,
    // A panel can be in front without making the app the active one.
    ...(platform === 'darwin' ? { frame: false, type: 'panel' } : {}),
  };
}

const centreOf = ({ x, y, width, height }: Rectangle) => ({
  x: Math.round(x + width / 2),
  y: Math.round(y + height / 2),
});

/** Places the window below a tray icon at the top of the screen, or above one at the bottom, inside the work area. */
export function placeBeside(trayIcon: Rectangle, area: Rectangle): Rectangle {
  const { width, height } = DROP_WINDOW_SIZE;
  const centre = centreOf(trayIcon);
  const isAtTop = centre.y < area.y + area.height / 2;
  const x = centre.x - width / 2;
  const y = isAtTop ? trayIcon.y + trayIcon.height + GAP : trayIcon.y - height - GAP;
  const between = (value: number, min: number, max: number) => Math.round(Math.max(min, Math.min(value, max)));
  return {
    x: between(x, area.x + GAP, area.x + area.width - width - GAP),
    y: between(y, area.y + GAP, area.y + area.height - height - GAP),
    width,
    height,
  };
}
