/** How long a drive may take to identify a dropped item, in milliseconds. The limit is short, because a drop is not shown before. */
export const IDENTIFY_LIMIT_MS = 1_000;

/** How long a drive may take to respond for a folder that the window already shows, in milliseconds. */
export const DRIVE_LIMIT_MS = 3_000;
