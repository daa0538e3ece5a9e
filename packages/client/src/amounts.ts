// Pages import this file, so it must not load the schemas of the contract.
export { formatBytes as bytes } from '@berth/contract/amounts';

const DURATIONS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

/** Formats a number and its noun: `1 file`, `10,000 files`. */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;
}

/** Formats a duration in its largest unit: `0.4 s`, `12 s`, `3 min`, `3 d`. */
export function duration(seconds: number): string {
  const [unit, size] = DURATIONS.find(([, size]) => seconds >= size) ?? ['s', 1];
  const value = seconds / size;
  return `${value < 9.95 && !Number.isInteger(value) ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** Formats Unix seconds in the time zone of this machine: `2026-11-24 20:15`; `null` gives `-`. */
export function moment(seconds: number | null): string {
  if (seconds === null) return '-';
  return new Date(seconds * 1000).toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short' });
}
