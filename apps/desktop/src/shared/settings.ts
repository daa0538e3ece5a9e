import { z } from 'zod';

export const Settings = z.object({
  /** False until the user has completed the first run: chosen a server, and signed in or continued without an account. */
  welcomed: z.boolean(),
  theme: z.enum(['system', 'light', 'dark']),
  /** True if the app notifies the user of deploys that finish while the window is in the background. */
  notifications: z.boolean(),
  /** True if the app copies each new link to the clipboard. */
  copyLinks: z.boolean(),
  /** How many versions of each watched folder the server keeps. */
  keepVersions: z.int().min(1).max(50),
  /** True if the app stays in the tray when the window is closed. */
  closeToTray: z.boolean(),
  /** True if the app starts hidden when the user logs in. */
  openAtLogin: z.boolean(),
});
export type Settings = z.infer<typeof Settings>;

export const DEFAULT_SETTINGS: Settings = {
  welcomed: false,
  theme: 'system',
  notifications: true,
  copyLinks: true,
  keepVersions: 5,
  closeToTray: true,
  openAtLogin: false,
};

/** The facts about the app and the system that the page needs. */
export const About = z.object({
  version: z.string(),
  platform: z.enum(['linux', 'darwin', 'win32']),
  /** True if the system has a tray or menu bar for the app. */
  tray: z.boolean(),
  /** True if the system can start the app at login. */
  canOpenAtLogin: z.boolean(),
});
export type About = z.infer<typeof About>;

/** A newer version of the app. */
export const Update = z.discriminatedUnion('is', [
  z.object({ is: z.literal('none') }),
  z.object({ is: z.literal('downloading'), version: z.string(), percent: z.number().min(0).max(100) }),
  /** The newer version is installed when the app restarts. */
  z.object({ is: z.literal('ready'), version: z.string() }),
]);
export type Update = z.infer<typeof Update>;
