import type { BrowserWindow, WebContents, WebFrameMain } from 'electron';
import { isOurs } from '../shell/app-protocol.ts';

/** Who sent a message. */
export interface Sender {
  sender: Pick<WebContents, 'id'> | WebContents;
  senderFrame: WebFrameMain | null;
}

/**
 * Whether a message comes from our page: the very main frame of our window, with our page in it. A frame in the page, another
 * window with the same address, and one that is gone are not.
 *
 * Source: design of the desktop app, §6.
 */
export function isOurPage({ sender, senderFrame }: Sender, window: BrowserWindow | null): boolean {
  try {
    if (window === null || window.isDestroyed() || senderFrame === null || senderFrame.isDestroyed()) return false;
    const { webContents } = window;
    return sender === webContents && senderFrame === webContents.mainFrame && isOurs(senderFrame.url);
  } catch {
    // A frame that goes away in this very moment throws when it is asked anything.
    return false;
  }
}
