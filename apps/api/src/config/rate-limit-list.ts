import {
  DEFAULT_RATE_LIMITS,
  RATE_LIMIT_NAMES,
  type RateLimit,
  type RateLimitName,
  type RateLimits,
} from '@berth/core';
import { quote } from './config-values.ts';

const UNIT_SECONDS = { s: 1, min: 60, h: 3_600 };
/** With a larger count, one request would be too small a share of the limit to distinguish from zero. */
const MAX_COUNT = 100_000;
const MAX_SECONDS = 24 * 3_600;

/**
 * Reads a list such as `global=600/min, unlock=10/10min`. A limit that the list does not name has its default.
 *
 * @returns `null` for `off`.
 * @throws AggregateError with one Error for each invalid entry. Source: api §7, §10; security T37.
 */
export function parseRateLimits(text: string): RateLimits | null {
  if (text.toLowerCase() === 'off') return null;
  const limits: Record<RateLimitName, RateLimit> = { ...DEFAULT_RATE_LIMITS };
  const givenNames = new Set<string>();
  const faults: Error[] = [];
  for (const item of text.split(',').map((each) => each.trim())) {
    if (item === '') continue;
    try {
      const [name, limit] = parseEntry(item);
      if (givenNames.has(name)) throw new Error(`${quote(name)} is named twice; name each limit once`);
      givenNames.add(name);
      limits[name] = limit;
    } catch (error) {
      faults.push(error as Error);
    }
  }
  if (faults.length > 0) throw new AggregateError(faults);
  return limits;
}

function parseEntry(item: string): [RateLimitName, RateLimit] {
  const [, written = '', count = '', units = '1', unit = ''] =
    /^([^\s=]+) ?= ?(\d+)\/(\d+)?(s|min|h)$/.exec(item) ?? [];
  if (written === '')
    throw new Error(
      `${quote(item)} is not a limit; use a name, a count and a time in s, min or h, such as "global=600/min" or "unlock=10/10min"`,
    );
  const name = RATE_LIMIT_NAMES.find((known) => known === written);
  if (!name) throw new Error(`${quote(written)} is not the name of a limit; use one of ${RATE_LIMIT_NAMES.join(', ')}`);
  const perSeconds = Number(units) * UNIT_SECONDS[unit as keyof typeof UNIT_SECONDS];
  if (Number(count) < 1 || Number(count) > MAX_COUNT)
    throw new Error(
      `${quote(item)} allows ${Number(count)}; use a count from 1 to ${MAX_COUNT}, or "off" for no limits`,
    );
  if (perSeconds < 1 || perSeconds > MAX_SECONDS)
    throw new Error(`${quote(item)} has a time that is too ${perSeconds < 1 ? 'short' : 'long'}; use 1s to 24h`);
  return [name, { count: Number(count), perSeconds }];
}
