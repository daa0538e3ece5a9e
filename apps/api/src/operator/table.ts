const CONTROLS = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;
const GAP = '  ';

/** Formats a table with a heading and aligned columns, or returns `none` if it has no rows. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[], none: string): string {
  return rows.length === 0 ? none : columns([heading.map((title) => title.toUpperCase()), ...rows]).join('\n');
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
export function when(seconds: number | null): string {
  return seconds === null ? '-' : new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ');
}
