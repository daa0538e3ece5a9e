const CONTROLS = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;
const GAP = '  ';

/** Formats a table with a heading and aligned columns, or returns `emptyText` if there are no rows. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[], emptyText: string): string {
  return rows.length === 0 ? emptyText : columns([heading.map((title) => title.toUpperCase()), ...rows]).join('\n');
}

/** Formats lines with aligned columns. Characters that would move the cursor are removed. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const clean = rows.map((row) => row.map((cell) => cell.replace(CONTROLS, '')));
  const widths: number[] = [];
  for (const row of clean) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, [...cell].length)));
  return clean.map((row) =>
    row
      .map((cell, at) => cell + ' '.repeat(widths[at]! - [...cell].length))
      .join(GAP)
      .trimEnd(),
  );
}

/** Formats a time for people, in UTC. @param seconds Unix seconds; `null` gives `-`. */
export function formatTime(seconds: number | null): string {
  return seconds === null ? '-' : new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ');
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Bytes for people, in the units of the configuration: `512 bytes`, `1.5 GiB`. */
export function formatBytes(sizeBytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, sizeBytes)) / 10));
  return `${Math.round((sizeBytes / 1024 ** power) * 10) / 10} ${UNITS[power]}`;
}
