import type { DesktopApi } from '../shared/contract.ts';

declare global {
  interface Window {
    /** The one door out of the page: what the preload gives it. */
    readonly desktop: DesktopApi;
  }
}

export const { desktop } = window;
