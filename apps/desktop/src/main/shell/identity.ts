/**
 * The name of the `.desktop` file. Linux desktops use it to match windows and notifications to the app. Their portals require a
 * domain in it.
 */
export const DESKTOP_NAME = 'example.berth.Berth.desktop';

/** The identity of the app on Windows and macOS. */
export const APP_ID = 'example.berth.desktop';

/** The name of the program and its icon on Linux. `berth` is the command line program. */
export const PROGRAM = 'berth-desktop';
