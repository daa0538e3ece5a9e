import type { DesktopApi } from '../shared/contract.ts';

declare global {
  interface Window {
    /** The page's only access to the app, exposed by the preload. */
    readonly desktop: DesktopApi;
  }
}

export const { desktop } = window;
