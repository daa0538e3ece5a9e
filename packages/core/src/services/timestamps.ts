/** Converts a date to its wire form: whole Unix seconds. Source: api §1. */
export function toUnixSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
