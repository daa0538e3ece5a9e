import { escapeControls } from './text.ts';

const GAP = '  ';

/** Formats rows as aligned columns under a heading. Returns nothing if there are no rows. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return rows.length === 0 ? [] : columns([heading.map((title) => title.toUpperCase()), ...rows]);
}

/** Formats rows as aligned columns. Control characters are escaped, which makes cells wider. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const clean = rows.map((row) => row.map(escapeControls));
  const widths: number[] = [];
  for (const row of clean) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, [...cell].length)));
  return clean.map((row) =>
    row
      .map((cell, at) => cell + ' '.repeat(widths[at]! - [...cell].length))
      .join(GAP)
      .trimEnd(),
  );
}
