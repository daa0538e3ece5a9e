import { z } from 'zod';
import { CONTROL_CHARACTERS } from './paths.ts';

const MAX_LENGTH = 100;
const LENGTH_RULE = `name must have 1 to ${MAX_LENGTH} characters, or be null`;

/**
 * A name that others read: without characters that would change how the text around it is displayed, and without half of a surrogate
 * pair, which the database does not accept. `null` for none.
 * Source: api §13.
 */
export const DisplayName = z
  .string()
  .trim()
  .min(1, LENGTH_RULE)
  .max(MAX_LENGTH, LENGTH_RULE)
  .refine((name) => !CONTROL_CHARACTERS.test(name), 'name must not contain control characters')
  .refine((name) => name.isWellFormed(), 'name must be valid Unicode, without half of a surrogate pair')
  .nullable();
