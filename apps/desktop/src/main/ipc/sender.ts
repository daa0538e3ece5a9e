import type { BrowserWindow, WebContents, WebFrameMain } from 'electron';
import { isOurs } from '../shell/app-protocol.ts';

/** The sender of an IPC message. */
export interface Sender {
  sender: Pick<WebContents, 'id'> | WebContents;
  senderFrame: WebFrameMain | null;
}

/**
 * True if a message comes from our page: from the main frame of our window while it shows our page. Frames inside the page, other
 * windows with the same address, and destroyed frames are refused.
 *
 * Source: desktop §6.
 */
export function isOurPage({ sender, senderFrame }: Sender, window: BrowserWindow | null): boolean {
  try {
    if (window === null || window.isDestroyed() || senderFrame === null || senderFrame.isDestroyed()) return false;
    const { webContents } = window;
    return sender === webContents && senderFrame === webContents.mainFrame && isOurs(senderFrame.url);
  } catch {
    // The properties of a frame throw if it is destroyed at this moment.
    return false;
  }
}
