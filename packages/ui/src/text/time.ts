import { count, duration } from '@berth/client/amounts';

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

/** Formats a past moment: `just now`, `2 min ago`, `Oct 12, 2026`. @param at, now Unix milliseconds. */
export function ago(at: number, now: number): string {
  const seconds = Math.floor((now - at) / 1_000);
  if (seconds < 10) return 'just now';
  if (seconds >= 30 * DAY)
    return new Date(at).toLocaleDateString('en-US', { day: 'numeric', month: 'short', year: 'numeric' });
  const unit = [DAY, HOUR, MINUTE].find((size) => seconds >= size) ?? 1;
  return `${duration(Math.floor(seconds / unit) * unit)} ago`;
}

/** Formats a duration in its two largest units: `2 days 23 hours`. @param seconds More than 0. */
export function remainingText(seconds: number): string {
  const parts = [
    count(Math.floor(seconds / DAY), 'day'),
    count(Math.floor((seconds % DAY) / HOUR), 'hour'),
    count(Math.floor((seconds % HOUR) / MINUTE), 'minute'),
  ];
  const firstPart = parts.findIndex((part) => !part.startsWith('0'));
  if (firstPart === -1) return 'less than a minute';
  const [largest, next] = parts.slice(firstPart);
  return next === undefined || next.startsWith('0') ? largest! : `${largest} ${next}`;
}

/** Formats the time until a moment: `in 12 s`, or `now` once it has passed. @param until, now Unix milliseconds. */
export function untilText(until: number, now: number): string {
  const seconds = Math.ceil((until - now) / 1_000);
  return seconds > 0 ? `in ${duration(seconds)}` : 'now';
}

/** Formats the day of a moment: `Today`, `Yesterday`, `Monday, November 16`. @param at, now Unix milliseconds. */
export function dayOf(at: number, now: number): string {
  const day = startOfDay(at);
  const startOfToday = startOfDay(now);
  if (day === startOfToday) return 'Today';
  if (day === startOfDay(startOfToday - HOUR * 1_000)) return 'Yesterday';
  const year = new Date(at).getFullYear() === new Date(now).getFullYear() ? undefined : 'numeric';
  return new Date(at).toLocaleDateString('en-US', { weekday: 'long', day: 'numeric', month: 'long', year });
}

/** Returns the start of a day in the local time zone, in Unix milliseconds. @param at Any moment of the day, in Unix milliseconds. */
export function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}
