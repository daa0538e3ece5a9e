/** Formats an amount with a noun, such as `1,234 files`. */
export function formatCount(amount: number, noun: string): string {
  return `${amount.toLocaleString('en')} ${noun}${amount === 1 ? '' : 's'}`;
}

/**
 * Formats a time of at least one second in its largest fitting unit, such as `2 minutes`.
 *
 * @param round Rounds to whole units. Default: up, so that a client never retries too early.
 * @param language The tag of the language. Default: English.
 */
export function formatDuration(spanMs: number, round: (amount: number) => number = Math.ceil, language = 'en'): string {
  const format = (amount: number, unit: 'second' | 'minute' | 'hour' | 'day') =>
    amount.toLocaleString(language, { style: 'unit', unit, unitDisplay: 'long' });
  const seconds = Math.max(1, Math.round(spanMs / 1000));
  if (seconds < 60) return format(seconds, 'second');
  if (seconds < 90 * 60) return format(round(seconds / 60), 'minute');
  if (seconds < 36 * 3600) return format(round(seconds / 3600), 'hour');
  return format(round(seconds / 86_400), 'day');
}
