import { duration } from '@berth/client/amounts';

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;
const MONTH = 30 * DAY;
const SPANS = [
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
] as const;

/** Formats a past moment: `just now`, `2 min ago`, `12 Oct`. @param at, now Unix milliseconds. */
export function ago(at: number, now: number): string {
  const seconds = Math.floor((now - at) / 1_000);
  if (seconds < 10) return 'just now';
  if (seconds >= MONTH)
    return new Date(at).toLocaleDateString('en-US', { day: 'numeric', month: 'short', year: 'numeric' });
  const unit = [DAY, HOUR, MINUTE].find((size) => seconds >= size) ?? 1;
  return `${duration(Math.floor(seconds / unit) * unit)} ago`;
}

/** Formats a duration in its two largest units: `2 days 23 hours`. @param seconds More than 0. */
export function remaining(seconds: number): string {
  const first = SPANS.findIndex(([size]) => seconds >= size);
  if (first < 0) return 'less than a minute';
  const [size, noun] = SPANS[first]!;
  const rest = SPANS[first + 1];
  const restCount = rest ? Math.floor((seconds % size) / rest[0]) : 0;
  return [spell(Math.floor(seconds / size), noun), rest && restCount > 0 ? spell(restCount, rest[1]) : '']
    .join(' ')
    .trim();
}

/** Formats the time until a moment: `in 12 s`; `now` once it has come. @param until, now Unix milliseconds. */
export function until(until: number, now: number): string {
  const seconds = Math.ceil((until - now) / 1_000);
  return seconds > 0 ? `in ${duration(seconds)}` : 'now';
}

/** Formats the day of a moment: `Today`, `Yesterday`, `Monday, 16 November`. @param at, now Unix milliseconds. */
export function dayOf(at: number, now: number): string {
  const day = startOfDay(at);
  const today = startOfDay(now);
  if (day === today) return 'Today';
  if (day === startOfDay(today - HOUR * 1_000)) return 'Yesterday';
  const isSameYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return new Date(at).toLocaleDateString('en-US', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(isSameYear ? {} : { year: 'numeric' }),
  });
}

/** The start of a moment's day in the local time zone, in Unix milliseconds. */
export function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}

function spell(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
