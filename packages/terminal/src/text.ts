import stringWidth from 'string-width';

const COLUMN_GAP = '  ';
/** Control characters, line separators, and characters that change the direction of text. */
const CONTROLS = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Escapes characters that would control the terminal: ESC becomes `\u001b`. JSON text keeps its meaning. */
export function escapeControls(text: string): string {
  return text.replace(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Formats rows as aligned columns under a heading. Returns nothing if there are no rows. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return rows.length === 0 ? [] : columns([heading.map((title) => title.toUpperCase()), ...rows]);
}

/** Formats rows as aligned columns, by the width of their characters on a terminal. Control characters are escaped. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const cells = rows.map((row) => row.map(escapeControls).map((text) => ({ text, width: stringWidth(text) })));
  const widths: number[] = [];
  for (const row of cells) row.forEach(({ width }, at) => (widths[at] = Math.max(widths[at] ?? 0, width)));
  return cells.map((row) =>
    row
      .map(({ text, width }, at) => text + ' '.repeat(widths[at]! - width))
      .join(COLUMN_GAP)
      .trimEnd(),
  );
}

/**
 * Breaks a text between words into lines of at most `width` columns. A longer word gets a line of its own. The lines joined by
 * spaces give the text again.
 */
export function wrap(text: string, width: number): string[] {
  const [firstWord, ...words] = text.split(' ');
  const lines: string[] = [];
  let line = firstWord!;
  for (const word of words) {
    const extendedLine = `${line} ${word}`;
    if (line.trim() === '' || stringWidth(extendedLine) <= width) line = extendedLine;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

/** A table that may have fewer columns than its rows. */
interface FittedTable {
  lines: string[];
  /** The titles of the columns that were omitted because there is no room. */
  omitted: string[];
}

/**
 * Formats a table for a screen: without the columns that have no value in any row, and without less important columns until
 * the table fits.
 *
 * @param screenColumns The width of the screen.
 * @param lessImportant The titles of the columns to omit, in this order, if the table is too wide.
 * @param empty The text of a cell without a value.
 */
export function fitTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  screenColumns: number,
  lessImportant: readonly string[],
  empty = '-',
): FittedTable {
  const hasValue = heading.map((_, at) => rows.some((row) => row[at] !== empty));
  const omitted: string[] = [];
  for (;;) {
    const isShown = heading.map((title, at) => hasValue[at] && !omitted.includes(title));
    const shownCells = (row: readonly string[]) => row.filter((_, at) => isShown[at]);
    const lines = table(shownCells(heading), rows.map(shownCells));
    const nextOmitted = lessImportant.find((title) => isShown[heading.indexOf(title)]);
    if (nextOmitted === undefined || lines.every((line) => stringWidth(line) <= screenColumns))
      return { lines, omitted };
    omitted.push(nextOmitted);
  }
}
