/** How long a drive may take to identify a dropped item, in milliseconds. Short, because a drop shows nothing until then. */
export const GIVEN_WITHIN_MS = 1_000;

/** How long a drive may take to answer about a folder that the window already shows, in milliseconds. */
export const ANSWER_WITHIN_MS = 3_000;
