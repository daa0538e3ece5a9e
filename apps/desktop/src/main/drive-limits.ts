/** How long a drive may take to say what was given, in milliseconds. Short: until then a drop shows nothing. */
export const GIVEN_WITHIN_MS = 1_000;

/** How long a drive may take to answer about a folder that the window shows already, in milliseconds. */
export const ANSWER_WITHIN_MS = 3_000;
