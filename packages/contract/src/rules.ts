// Rules that pages state before they load any schema. This module must not import zod.

/** How long an upload can be committed after it began, in seconds. */
export const UPLOAD_SECONDS = 24 * 60 * 60;

/** The shortest password of a person, in characters. */
export const MIN_PERSON_PASSWORD = 12;
