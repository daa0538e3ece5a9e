const UNITS = ['kB', 'MB', 'GB', 'TB'] as const;

/** Formats a number of bytes for people, in steps of 1,000: `512 B`, `3.4 kB`, `28 MB`. */
export function formatBytes(count: number): string {
  if (count < 1_000) return `${count} B`;
  let value = count;
  let unitIndex = -1;
  do {
    value /= 1_000;
    unitIndex++;
  } while (value >= 999.5 && unitIndex < UNITS.length - 1);
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${UNITS[unitIndex]}`;
}

/** Formats a limit in bytes for people, with the exact number: `21 MB (20,971,520 bytes)`. */
export function formatByteLimit(limit: number): string {
  return limit < 1_000 ? `${limit} bytes` : `${formatBytes(limit)} (${limit.toLocaleString('en-US')} bytes)`;
}
