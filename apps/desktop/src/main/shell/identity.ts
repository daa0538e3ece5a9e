/**
 * The name of the `.desktop` file. Linux desktops use the name to match windows and notifications to the app. Linux portals require
 * that the name contains a domain.
 */
export const DESKTOP_NAME = 'example.berth.Berth.desktop';

/** The identity of the app on Windows and macOS. */
export const APP_ID = 'example.berth.desktop';

/** The name of the program and its icon on Linux. The name `berth` belongs to the command line program. */
export const PROGRAM = 'berth-desktop';
