import { z } from 'zod';

export const Settings = z.object({
  theme: z.enum(['system', 'light', 'dark']),
  /** Tells of what ended while the window is not looked at. */
  notifications: z.boolean(),
  /** Puts each new link on the clipboard. */
  copyLinks: z.boolean(),
  /** How many versions of a watched folder stay. */
  keepVersions: z.int().min(1).max(50),
  /** Whether closing the window leaves the app in the tray. */
  closeToTray: z.boolean(),
  /** Whether the app starts, hidden, when the user logs in. */
  openAtLogin: z.boolean(),
});
export type Settings = z.infer<typeof Settings>;

export const DEFAULT_SETTINGS: Settings = {
  theme: 'system',
  notifications: true,
  copyLinks: true,
  keepVersions: 5,
  closeToTray: true,
  openAtLogin: false,
};

/** What the page needs to know of the app it is in. */
export const About = z.object({
  version: z.string(),
  platform: z.enum(['linux', 'darwin', 'win32']),
  /** Whether there is a tray or a menu bar to live in. */
  tray: z.boolean(),
  /** Whether the system can start the app at login. */
  canOpenAtLogin: z.boolean(),
});
export type About = z.infer<typeof About>;

/** A newer version of the app. */
export const Update = z.discriminatedUnion('is', [
  z.object({ is: z.literal('none') }),
  z.object({ is: z.literal('downloading'), version: z.string(), percent: z.number().min(0).max(100) }),
  /** It is taken when the app restarts. */
  z.object({ is: z.literal('ready'), version: z.string() }),
]);
export type Update = z.infer<typeof Update>;
