const UNIT_MS = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Reads a duration: a whole number and its unit, one of `ms`, `s`, `min`, `h` and `d`, such as `30s`.
 *
 * @returns Milliseconds. Source: api §10.
 * @throws Error that says which texts are valid.
 */
export function parseDuration(text: string): number {
  const [, amount, unit] = /^(\d{1,9}) ?(ms|s|min|h|d)$/.exec(text) ?? [];
  if (!amount || !unit)
    throw new Error(
      `${JSON.stringify(text)} is not a duration; use a number of at most 9 digits and a unit, such as "500ms", "30s", "10min", "24h" or "7d"`,
    );
  return Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS];
}
