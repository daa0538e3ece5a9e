import { MAX_TTL_SECONDS } from '@berth/contract';
import { InvalidArgumentError } from 'commander';

const UNIT_SECONDS = { s: 1, m: 60, min: 60, h: 3_600, d: 86_400, w: 604_800 } as const;
const DURATION = /^(\d{1,9})(s|m|min|h|d|w)$/;

/** Parses a duration with a unit, such as `90s`, `30m`, `12h`, `3d` or `2w`, to seconds. */
export function parseTtl(text: string): number {
  const [, number, unit] = DURATION.exec(text) ?? [];
  const seconds = Number(number) * UNIT_SECONDS[(unit ?? 's') as keyof typeof UNIT_SECONDS];
  if (!(seconds >= 1 && seconds <= MAX_TTL_SECONDS))
    throw new InvalidArgumentError('Write a number and a unit, such as 90s, 30m, 12h, 3d or 2w, up to 365d.');
  return seconds;
}

/** Parses how many rows to list: a positive integer, or `all`. */
export function parseLimit(text: string): number {
  const limit = text === 'all' ? Infinity : Number(text);
  if (!(limit === Infinity || (Number.isInteger(limit) && limit >= 1)))
    throw new InvalidArgumentError('Write a whole number of at least 1, or "all".');
  return limit;
}

/** Parses how many versions to keep: a positive integer. */
export function parseKeep(text: string): number {
  const keep = Number(text);
  if (!(Number.isInteger(keep) && keep >= 1)) throw new InvalidArgumentError('Write a whole number of at least 1.');
  return keep;
}

/** Appends a value of an option that can be repeated. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

/** Parses the id or host name of a site. A full address is accepted too. */
export function parseSite(text: string): string {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  return url ? url.hostname : text;
}
