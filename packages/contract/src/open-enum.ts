import { z } from 'zod';

/** A known value, or a value that a newer server has added. */
export type OpenEnum<T extends string> = T | (string & {});

/**
 * The schema of an enumeration in responses, which may gain values without a new version. It accepts every string, so that an
 * older client shows an unknown value by its name instead of refusing the whole response. Source: api §9.
 */
export function openEnum<const T extends string>(known: readonly T[]): z.ZodType<OpenEnum<T>, OpenEnum<T>> {
  return z.string().meta({ 'x-extensible-enum': known }) as unknown as z.ZodType<OpenEnum<T>, OpenEnum<T>>;
}
