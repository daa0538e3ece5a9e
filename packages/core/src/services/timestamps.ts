/** A moment as the wire carries it: whole Unix seconds. Source: contract, conventions. */
export function toUnixSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
