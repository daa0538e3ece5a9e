/** The name of the `.desktop` file, by which Linux desktops know the windows and the messages of the app. Their portals want a domain in it. */
export const DESKTOP_NAME = 'example.berth.Berth.desktop';

/** The identity of the app on Windows and macOS. */
export const APP_ID = 'example.berth.desktop';

/** The name of the program, and of its icon, on Linux. The command line has `berth` for itself. */
export const PROGRAM = 'berth-desktop';
