import { isDeepStrictEqual } from 'node:util';
import type { Examples } from '../../src/api-host/openapi-parts.ts';

/** Patterns of texts that differ in each run, with the text that replaces them in the examples. */
const TEXT_REPLACEMENTS: [RegExp, string][] = [
  [/\b(ship|deploy)-[0-9a-f]{32}\b/g, '$1-<32 hexadecimal digits>'],
  [/\b[0-9a-f]{64}\b/g, '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'],
  [/\b[0-9a-f]{32}\b/g, '0123456789abcdef0123456789abcdef'],
  [/\b[a-z]+-[a-z]+-[a-z0-9]{7}\b/g, 'calm-otter-4k9x2qd'],
  [/\b[0-9a-f-]{36}@test\b/g, 'ada@example.com'],
  [/\bto-[a-z0-9]{7}\b/g, 'to-9x2k4qd'],
  [/\bname-\d+\.example\.com/gi, 'www.example.com'],
  [/\bname-\d+\./g, 'shop.'],
  [/(:\/\/[^/\s:]+):\d+/g, '$1'],
  [/http:\/\//g, 'https://'],
  [/\.localhost\b/g, '.sites.example'],
  [/\/\/localhost\b/g, '//berth.example'],
  [/\bin \d+ seconds?\b/g, 'in 7 seconds'],
  [/\bin \d+ s\b/g, 'in 7 s'],
];
const FIELD_REPLACEMENTS: Record<string, unknown> = {
  account: 'acc-4k9x2qd7p3m1z',
  email: 'ada@example.com',
  hint: '3f9a',
  invite: 'inv-4k9x2qd',
  member: 'mem-42',
  nextCursor: 'q0mXvYt2WzE3OTAwMDAwMDBd',
  retryAfter: 7,
  token: 'a1b2c3d',
};
const FIXED_TIME = 1_790_000_000;
const isTime = (value: unknown): value is number => typeof value === 'number' && value > 1.7e9 && value < 2e9;
const MAX_ENTRIES = 4;

/** Replaces ids and times that differ in each run, and shortens long lists. */
export function normalize(value: unknown): unknown {
  if (typeof value === 'string') return TEXT_REPLACEMENTS.reduce((text, [from, to]) => text.replace(from, to), value);
  if (isTime(value)) return FIXED_TIME;
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map(normalize);
  if (typeof value !== 'object' || value === null) return value;
  const { created } = value as { created?: unknown };
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (name === 'expires' && isTime(member) && isTime(created)) return [name, FIXED_TIME + member - created];
      return [name, name in FIELD_REPLACEMENTS && member !== null ? FIELD_REPLACEMENTS[name] : normalize(member)];
    }),
  );
}

/** Adds a normalized example, unless an equal example exists under another title. */
export function record(examples: Examples, title: string, value: unknown): void {
  const example = normalize(value);
  if (!Object.values(examples).some((known) => isDeepStrictEqual(known, example))) examples[title] ??= example;
}
